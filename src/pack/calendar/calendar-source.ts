import { open } from "node:fs/promises";
import { BiplaneError, messageOf } from "../../errors.ts";
import { createGuard } from "../net/guard.ts";
import type { GuardOptions } from "../net/guard.ts";
import { parseTarget } from "../net/target.ts";
import type { CalendarSource } from "./options.ts";

/** Gives a calendar's text. No error holds its address: whoever has that can read the calendar. */
export type ReadCalendar = (signal: AbortSignal) => Promise<string>;

export function calendarReader(
  source: CalendarSource,
  options: Pick<GuardOptions, "lookup"> & { readonly timeoutMs: number; readonly maxBytes: number },
): ReadCalendar {
  const { name, url, file } = source;
  if ((url === undefined) === (file === undefined)) {
    throw new BiplaneError("INVALID_DEFINITION", `calendar '${name}': give it either a url or a file`);
  }
  const read = url === undefined ? () => readFile(file ?? "", options.maxBytes) : fetcher(name, url, options);
  return async (signal) => {
    try {
      return await read(signal);
    } catch (error) {
      if (error instanceof BiplaneError && (error.code === "CANCELLED" || error.code === "TIMEOUT")) {
        throw new BiplaneError(error.code, `failed to fetch '${name}': ${hidden(error, url)}`);
      }
      throw new BiplaneError("EXECUTION_ERROR", `failed to fetch '${name}': ${hidden(error, url)}`);
    }
  };
}

function fetcher(name: string, given: string, options: Parameters<typeof calendarReader>[1]): ReadCalendar {
  const url = given.replace(/^webcals?:/i, "https:");
  const { hostname } = parsed(name, url);
  // The operator chose this host, which may well be in the house; where it redirects to is another matter.
  const guard = createGuard({ ...options, allow: [hostname], userAgent: "Biplane/0.1 (calendar)" });
  return async (signal) => {
    const { status, statusText, body } = await guard.fetch(url, {
      headers: { accept: "text/calendar, */*" },
      signal,
      retries: 1,
    });
    if (status !== 200) throw new BiplaneError("EXECUTION_ERROR", `HTTP ${status} ${statusText}`.trim());
    return body.toString();
  };
}

function parsed(name: string, url: string): { hostname: string } {
  try {
    return parseTarget(url);
  } catch (error) {
    throw new BiplaneError("INVALID_DEFINITION", `calendar '${name}': ${messageOf(error)}`);
  }
}

async function readFile(path: string, maxBytes: number): Promise<string> {
  await using file = await opened(path);
  const stat = await file.stat();
  if (!stat.isFile()) throw new BiplaneError("EXECUTION_ERROR", "it is not a file");
  if (stat.size > maxBytes) throw new BiplaneError("EXECUTION_ERROR", `its file is larger than ${maxBytes} bytes`);
  return await file.readFile("utf8");
}

async function opened(path: string): ReturnType<typeof open> {
  try {
    return await open(path, "r");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    throw new BiplaneError("EXECUTION_ERROR", `its file cannot be opened (${code})`, { cause: error });
  }
}

/** Messages of the guard name the origin; here even that is not told. */
function hidden(error: unknown, url: string | undefined): string {
  const message = error instanceof BiplaneError ? error.message : "it cannot be read";
  if (url === undefined) return message;
  const { origin, hostname, host } = new URL(url.replace(/^webcals?:/i, "https:"));
  return [origin, host, hostname].reduce((text, part) => text.replaceAll(part, "its address"), message);
}
