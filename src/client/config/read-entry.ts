import { resolve } from "node:path";
import { nearest, unknownName } from "../../call/rules/near-miss.ts";
import type { Place } from "../../call/rules/problem.ts";
import { isRecord } from "../../call/rules/read-list.ts";
import { readEnvFile } from "./env-file.ts";
import type { ServerEntry } from "./server-entry.ts";
import { fill } from "./variables.ts";
import type { Variables } from "./variables.ts";

export interface EntryContext {
  readonly variables: Variables;
  /** What relative folders are relative to. */
  readonly folder: string;
  readonly isInWorkspace: boolean;
}

/** Whether a host would not start it. */
export function isDisabled(written: unknown): boolean {
  return isRecord(written) && (written["disabled"] === true || written["enabled"] === false);
}

/** One server of a file. What is wrong with it is told to `place`; keys that only a host knows are left alone. */
export async function readEntry(written: unknown, place: Place, context: EntryContext): Promise<ServerEntry> {
  if (!isRecord(written)) return place.fail("must be a group of keys, with a command or a url") ?? {};
  return kindOf(written, place) === "address"
    ? readAddress(written, place, context)
    : readProgram(written, place, context);
}

/** Keys that are not ours but look like it, where a host has none of that name. */
export function misspelled(written: unknown): { readonly key: string; readonly meant: string }[] {
  if (!isRecord(written)) return [];
  const strange = Object.keys(written).filter((key) => !ourKeys.includes(key) && !hostKeys.has(key.toLowerCase()));
  return strange.flatMap((key) => {
    const meant = nearest(key, ourKeys);
    return meant === undefined || Object.hasOwn(written, meant) ? [] : [{ key, meant }];
  });
}

const ourKeys = [
  "type",
  "command",
  "args",
  "env",
  "envFile",
  "cwd",
  "url",
  "headers",
  "authorization",
  "disabled",
  "enabled",
];
const hostKeys = new Set(
  "name description version gallery dev sandbox sandboxenabled timeout timeoutms autoapprove alwaysallow disabledtools tools trust icon icons oauth auth metadata transport watch debug note comment".split(
    " ",
  ),
);

const programTypes = ["stdio", "local"];
const addressTypes = [
  "http",
  "sse",
  "streamable-http",
  "streamableHttp",
  "streamable_http",
  "ws",
  "websocket",
  "remote",
];

function kindOf(written: Record<string, unknown>, place: Place): "program" | "address" | undefined {
  const { type, command, url } = written;
  const isProgram = programTypes.includes(String(type));
  const isAddress = addressTypes.includes(String(type));
  if (type !== undefined && !isProgram && !isAddress) {
    const known = ["stdio", "http", "sse"];
    return place
      .at("type")
      .fail(typeof type === "string" ? unknownName(type, known, "a known type") : "must be a text");
  }
  if (command === undefined && url === undefined) {
    const lost = misspelled(written).find(({ meant }) => meant === "command" || meant === "url");
    if (lost) return place.at(lost.key).fail(`is not a known key; did you mean ${lost.meant}?`, "key");
    return place.fail(isAddress ? "needs a url" : isProgram ? "needs a command" : "needs a command or a url", "key");
  }
  if (isProgram && command === undefined)
    return place.at("type").fail("says that there is a command, and there is none");
  if (isAddress && url === undefined) return place.at("type").fail("says that there is a url, and there is none");
  if (type === undefined && command !== undefined && url !== undefined)
    return place.fail("has both a command and a url; leave one out, or say which with a type", "key");
  return isAddress || (!isProgram && command === undefined) ? "address" : "program";
}

async function readProgram(
  written: Record<string, unknown>,
  place: Place,
  context: EntryContext,
): Promise<ServerEntry> {
  const command = readText(written["command"], place.at("command"), context);
  const args = readArgs(written["args"], place.at("args"), context);
  const cwd = written["cwd"] === undefined ? undefined : readText(written["cwd"], place.at("cwd"), context);
  const env = {
    ...(await fileEnv(written["envFile"], place.at("envFile"), context)),
    ...readEnv(written["env"], place.at("env"), context),
  };
  if (command === "") place.at("command").fail("is empty");
  const folder = cwd ?? (context.isInWorkspace ? "." : undefined);
  return { command, args, env, ...(folder !== undefined && { cwd: resolve(context.folder, folder) }) };
}

function readAddress(written: Record<string, unknown>, place: Place, context: EntryContext): ServerEntry {
  const url = readText(written["url"], place.at("url"), context);
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (!parsed || !/^(https?|wss?):$/.test(parsed.protocol))
    place.at("url").fail("must be an address that begins with http://, https://, ws:// or wss://");
  else if (parsed.username !== "" || parsed.password !== "")
    place.at("url").fail("has a name or a password in it; put credentials into headers");
  const headers = { ...readHeaders(written["headers"], place.at("headers"), context) };
  if (written["authorization"] !== undefined) {
    // Eval Protocol writes it without a header's name, and its variables without braces.
    const braced = braces(written["authorization"]);
    headers["authorization"] = headerValue(
      readText(braced, place.at("authorization"), context),
      place.at("authorization"),
    );
  }
  return { url, ...(Object.keys(headers).length > 0 && { headers }) };
}

function readText(written: unknown, place: Place, { variables }: EntryContext): string {
  if (typeof written !== "string") return place.fail("must be a text") ?? "";
  const filled = fill(written, place, variables);
  return filled.includes("\0") ? (place.fail("has a zero character in it") ?? "") : filled;
}

function readArgs(written: unknown, place: Place, context: EntryContext): string[] {
  if (written === undefined || written === null) return [];
  if (!Array.isArray(written)) return place.fail("must be a list of texts") ?? [];
  return written.map((each, at) => readText(typeof each === "number" ? String(each) : each, place.at(at), context));
}

/** A group of values, or, as Eval Protocol has it, a list of names that are passed on. */
function readEnv(written: unknown, place: Place, context: EntryContext): Record<string, string> {
  if (written === undefined || written === null) return {};
  if (Array.isArray(written))
    return Object.fromEntries(written.flatMap((name, at) => passOn(name, place.at(at), context)));
  if (!isRecord(written)) return place.fail("must be a group of values, or a list of names to pass on") ?? {};
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(written)) {
    const at = place.at(name);
    if (name === "" || /[=\0]/.test(name)) at.fail("cannot be the name of a variable", "key");
    else if (value !== null) env[name] = readText(isScalar(value) ? String(value) : value, at, context);
  }
  return env;
}

function passOn(name: unknown, place: Place, { variables: { environment } }: EntryContext): [string, string][] {
  if (typeof name !== "string" || !/^[^=\0]+$/.test(name)) return place.fail("must be the name of a variable") ?? [];
  const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
  return value === undefined ? (place.fail(`names ${name}, which is not set`) ?? []) : [[name, value]];
}

async function fileEnv(written: unknown, place: Place, context: EntryContext): Promise<Record<string, string>> {
  if (written === undefined) return {};
  const file = readText(written, place, context);
  return file === "" ? {} : readEnvFile(resolve(context.folder, file), place);
}

function readHeaders(written: unknown, place: Place, context: EntryContext): Record<string, string> {
  if (written === undefined || written === null) return {};
  if (!isRecord(written)) return place.fail("must be a group of headers") ?? {};
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(written)) {
    const at = place.at(name);
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) at.fail("cannot be the name of a header", "key");
    else headers[name] = headerValue(readText(isScalar(value) ? String(value) : value, at, context), at);
  }
  return headers;
}

function headerValue(value: string, place: Place): string {
  return /[\r\n\0]/.test(value) ? (place.fail("has a line end in it, which no header can have") ?? "") : value;
}

function braces(written: unknown): unknown {
  return typeof written === "string" ? written.replaceAll(/(?<!\$)\$([A-Za-z_]\w*)/g, "${$1}") : written;
}

function isScalar(value: unknown): value is number | boolean {
  return typeof value === "number" || typeof value === "boolean";
}
