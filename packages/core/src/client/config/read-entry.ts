import { resolve } from "node:path";
import { nearest, unknownName } from "../../tool/near-miss.ts";
import type { DocumentCursor } from "../../call/rules/problem.ts";
import type { ServerEntry } from "./server-entry.ts";
import { fill } from "./variables.ts";
import type { Variables } from "./variables.ts";
import { isRecord } from "../../is-record.ts";
import { parseEnv } from "node:util";
import { messageOf } from "../../errors.ts";
import { readBoundedFile } from "./read-file.ts";

export interface EntryContext {
  readonly variables: Variables;
  /** Base of relative paths. */
  readonly folder: string;
  readonly isInWorkspace: boolean;
}

/** True if the file disables the server. */
export function isDisabled(written: unknown): boolean {
  return isRecord(written) && (written["disabled"] === true || written["enabled"] === false);
}

/** Reads one server of a file. Reports problems to `place` and ignores keys of other hosts. */
export async function readEntry(written: unknown, place: DocumentCursor, context: EntryContext): Promise<ServerEntry> {
  if (!isRecord(written)) return place.fail("must be an object with a command or a url") ?? {};
  return kindOf(written, place) === "address"
    ? readAddress(written, place, context)
    : readProgram(written, place, context);
}

/** Unknown keys that resemble a known one and that no other host uses. */
export function misspelled(written: unknown): { readonly key: string; readonly meant: string }[] {
  if (!isRecord(written)) return [];
  const unknown = Object.keys(written).filter((key) => !ourKeys.includes(key) && !hostKeys.has(key.toLowerCase()));
  return unknown.flatMap((key) => {
    const meant = nearest(key, ourKeys);
    return meant === undefined || Object.hasOwn(written, meant) ? [] : [{ key, meant }];
  });
}

const ourKeys = [
  "type",
  "command",
  "args",
  "env",
  "environment",
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

function kindOf(written: Record<string, unknown>, place: DocumentCursor): "program" | "address" | undefined {
  const { type, command, url } = written;
  const isProgram = programTypes.includes(String(type));
  const isAddress = addressTypes.includes(String(type));
  if (type !== undefined && !isProgram && !isAddress) {
    const known = ["stdio", "http", "sse"];
    return place
      .at("type")
      .fail(typeof type === "string" ? unknownName(type, known, "a known type") : "must be a string");
  }
  if (command === undefined && url === undefined) {
    const typo = misspelled(written).find(({ meant }) => meant === "command" || meant === "url");
    if (typo) return place.at(typo.key).fail(`is not a known key; did you mean ${typo.meant}?`, "key");
    return place.fail(isAddress ? "needs a url" : isProgram ? "needs a command" : "needs a command or a url", "key");
  }
  if (isProgram && command === undefined) return place.at("type").fail("needs a command, which is missing");
  if (isAddress && url === undefined) return place.at("type").fail("needs a url, which is missing");
  if (type === undefined && command !== undefined && url !== undefined)
    return place.fail("has both a command and a url; remove one, or set the type", "key");
  return isAddress || (!isProgram && command === undefined) ? "address" : "program";
}

async function readProgram(
  written: Record<string, unknown>,
  place: DocumentCursor,
  context: EntryContext,
): Promise<ServerEntry> {
  const [command, args] = readCommand(written, place, context);
  const cwd = written["cwd"] === undefined ? undefined : readText(written["cwd"], place.at("cwd"), context);
  const env = {
    ...(await fileEnv(written["envFile"], place.at("envFile"), context)),
    ...readEnv(written["environment"], place.at("environment"), context),
    ...readEnv(written["env"], place.at("env"), context),
  };
  if (command === "") place.at("command").fail("is empty");
  const folder = cwd ?? (context.isInWorkspace ? "." : undefined);
  return { command, args, env, ...(folder !== undefined && { cwd: resolve(context.folder, folder) }) };
}

/** A command with `args`, or, in OpenCode's files, a list of both. */
function readCommand(
  { command, args }: Record<string, unknown>,
  place: DocumentCursor,
  context: EntryContext,
): [command: string, args: readonly string[]] {
  const more = readArgs(args, place.at("args"), context);
  if (!Array.isArray(command)) return [readText(command, place.at("command"), context), more];
  const [first = "", ...rest] = readArgs(command, place.at("command"), context);
  return [first, [...rest, ...more]];
}

function readAddress(written: Record<string, unknown>, place: DocumentCursor, context: EntryContext): ServerEntry {
  const url = readText(written["url"], place.at("url"), context);
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (!parsed || !/^(https?|wss?):$/.test(parsed.protocol))
    place.at("url").fail("must begin with http://, https://, ws:// or wss://");
  else if (parsed.username !== "" || parsed.password !== "")
    place.at("url").fail("contains a user name or password; put credentials into headers");
  const headers = { ...readHeaders(written["headers"], place.at("headers"), context) };
  if (written["authorization"] !== undefined) {
    // Eval Protocol's own key, with variables as $NAME.
    const braced = braces(written["authorization"]);
    headers["authorization"] = headerValue(
      readText(braced, place.at("authorization"), context),
      place.at("authorization"),
    );
  }
  return { url, ...(Object.keys(headers).length > 0 && { headers }) };
}

function readText(written: unknown, place: DocumentCursor, { variables }: EntryContext): string {
  if (typeof written !== "string") return place.fail("must be a string") ?? "";
  const filled = fill(written, place, variables);
  return filled.includes("\0") ? (place.fail("contains a NUL character") ?? "") : filled;
}

function readArgs(written: unknown, place: DocumentCursor, context: EntryContext): string[] {
  if (written === undefined || written === null) return [];
  if (!Array.isArray(written)) return place.fail("must be a list of strings") ?? [];
  return written.map((each, at) => readText(typeof each === "number" ? String(each) : each, place.at(at), context));
}

/** An object of values or, in Eval Protocol's files, a list of variable names to pass on. */
function readEnv(written: unknown, place: DocumentCursor, context: EntryContext): Record<string, string> {
  if (written === undefined || written === null) return {};
  if (Array.isArray(written))
    return Object.fromEntries(written.flatMap((name, at) => passOn(name, place.at(at), context)));
  if (!isRecord(written)) return place.fail("must be an object of values, or a list of variable names") ?? {};
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(written)) {
    const at = place.at(name);
    if (name === "" || /[=\0]/.test(name)) at.fail("is not a valid variable name", "key");
    else if (value !== null) env[name] = readText(isScalar(value) ? String(value) : value, at, context);
  }
  return env;
}

function passOn(
  name: unknown,
  place: DocumentCursor,
  { variables: { environment } }: EntryContext,
): [string, string][] {
  if (typeof name !== "string" || !/^[^=\0]+$/.test(name)) return place.fail("must be a variable name") ?? [];
  const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
  return value === undefined ? (place.fail(`names ${name}, which is not set`) ?? []) : [[name, value]];
}

async function fileEnv(
  written: unknown,
  place: DocumentCursor,
  context: EntryContext,
): Promise<Record<string, string>> {
  if (written === undefined) return {};
  const file = readText(written, place, context);
  return file === "" ? {} : readEnvFile(resolve(context.folder, file), place);
}

function readHeaders(written: unknown, place: DocumentCursor, context: EntryContext): Record<string, string> {
  if (written === undefined || written === null) return {};
  if (!isRecord(written)) return place.fail("must be an object of headers") ?? {};
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(written)) {
    const at = place.at(name);
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) at.fail("is not a valid header name", "key");
    else headers[name] = headerValue(readText(isScalar(value) ? String(value) : value, at, context), at);
  }
  return headers;
}

function headerValue(value: string, place: DocumentCursor): string {
  return /[\r\n\0]/.test(value) ? (place.fail("contains a line break, which headers do not allow") ?? "") : value;
}

function braces(written: unknown): unknown {
  return typeof written === "string" ? written.replaceAll(/(?<!\$)\$([A-Za-z_]\w*)/g, "${$1}") : written;
}

function isScalar(value: unknown): value is number | boolean {
  return typeof value === "number" || typeof value === "boolean";
}

/** Reads a file of `KEY=value` lines. Problems are reported to `place`. */
async function readEnvFile(file: string, place: DocumentCursor): Promise<Record<string, string>> {
  try {
    const found = Object.entries(parseEnv(String(await readBoundedFile(file, { maxBytes }))));
    return Object.fromEntries(found.filter((pair): pair is [string, string] => pair[1] !== undefined));
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    place.fail(
      isMissing ? `names ${file}, which does not exist` : `names ${file}, which cannot be read: ${messageOf(error)}`,
    );
    return {};
  }
}

const maxBytes = 1024 * 1024;
