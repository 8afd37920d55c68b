import { open } from "node:fs/promises";
import { BiplaneError } from "@biplane/core";
import { messageOf } from "@biplane/core/internal";
import { createNetworkGuard } from "../shared/net/network-guard.ts";
import type { NetworkGuardOptions } from "../shared/net/network-guard.ts";
import { parseRequestUrl } from "../shared/net/request-target.ts";
import type { CalendarSource } from "./options.ts";

/** Reads a calendar. Errors never contain its URL, because the URL grants access to the calendar. */
export type CalendarReader = (signal: AbortSignal) => Promise<Buffer>;

export function calendarReader(
  source: CalendarSource,
  options: Pick<NetworkGuardOptions, "lookup"> & { readonly timeoutMs: number; readonly maxBytes: number },
): CalendarReader {
  const { name } = source;
  const url = "url" in source ? source.url : undefined;
  const read = "url" in source ? fetcher(name, source.url, options) : () => readFile(source.file, options.maxBytes);
  return async (signal) => {
    try {
      return await read(signal);
    } catch (error) {
      const isStopped = error instanceof BiplaneError && (error.code === "CANCELLED" || error.code === "TIMEOUT");
      const code = isStopped ? error.code : "EXECUTION_ERROR";
      throw new BiplaneError(code, `failed to fetch '${name}': ${hidden(error, url)}`);
    }
  };
}

function fetcher(name: string, given: string, options: Parameters<typeof calendarReader>[1]): CalendarReader {
  const url = given.replace(/^webcals?:/i, "https:");
  const { hostname } = parsed(name, url);
  // The configured host may be internal, but its redirect targets may not.
  const guard = createNetworkGuard({ ...options, allow: [hostname], userAgent: "Biplane/0.1 (calendar)" });
  return async (signal) => {
    const { status, statusText, body } = await guard.fetch(url, {
      headers: { accept: "text/calendar, */*" },
      signal,
      retries: 1,
    });
    if (status !== 200) throw new BiplaneError("EXECUTION_ERROR", `HTTP ${status} ${statusText}`.trim());
    return body;
  };
}

function parsed(name: string, url: string): { hostname: string } {
  try {
    return parseRequestUrl(url);
  } catch (error) {
    throw new BiplaneError("INVALID_DEFINITION", `Calendar '${name}': ${messageOf(error)}`);
  }
}

async function readFile(path: string, maxBytes: number): Promise<Buffer> {
  await using file = await opened(path);
  const stat = await file.stat();
  if (!stat.isFile()) throw new BiplaneError("EXECUTION_ERROR", "it is not a file");
  if (stat.size > maxBytes) throw new BiplaneError("EXECUTION_ERROR", `its file is larger than ${maxBytes} bytes`);
  return await file.readFile();
}

async function opened(path: string): ReturnType<typeof open> {
  try {
    return await open(path, "r");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    throw new BiplaneError("EXECUTION_ERROR", `its file cannot be opened (${code})`, { cause: error });
  }
}

/** Removes the origin from guard messages, because the URL is a secret. */
function hidden(error: unknown, url: string | undefined): string {
  const message = error instanceof BiplaneError ? error.message : "it cannot be read";
  if (url === undefined) return message;
  const { origin, hostname, host } = new URL(url.replace(/^webcals?:/i, "https:"));
  return [origin, host, hostname].reduce((text, part) => text.replaceAll(part, "its URL"), message);
}
