import { basename, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { BiplaneError, messageOf } from "../../errors.ts";

/** Why a file of the user's could not be imported, in a sentence with the place and the way out. */
export function moduleFault(path: string, error: unknown): BiplaneError {
  return new BiplaneError("INVALID_DEFINITION", sentence(path, error), { cause: error });
}

function sentence(path: string, error: unknown): string {
  const name = shown(path);
  const message = messageOf(error);
  const { code } = Object(error) as NodeJS.ErrnoException;
  if (code === "ERR_REQUIRE_CYCLE_MODULE" || code === "ERR_REQUIRE_ESM")
    return `${name} is taken for CommonJS, because no package.json above it says "type": "module"; run npm pkg set type=module, or call it ${basename(path).replace(/\.(\w+)$/, ".m$1")}`;
  if (code === "ERR_MODULE_NOT_FOUND") return notFound(message);
  if (code === "ERR_UNKNOWN_FILE_EXTENSION") return `${name} is no module: its name must end in .ts, .mts, .js or .mjs`;
  const transform = transformFault(message);
  if (transform !== undefined) return transform;
  if (isSyntaxError(error)) {
    const place = placeAbove(error);
    if (place !== undefined) return `${place}: ${message}`;
    return `${name}, or a file that it imports, cannot be read: ${message}; node --check ${name} shows where`;
  }
  const place = placeIn(error);
  return `${name} fails while it is loaded${place === undefined ? "" : `, at ${place}`}: ${message}`;
}

function notFound(message: string): string {
  const [, wanted = "", from = ""] = /^Cannot find (?:package|module) '(.+?)' imported from (.+)$/.exec(message) ?? [];
  if (wanted === "") return message;
  const isFile = /^([./]|file:|[A-Za-z]:)/.test(wanted);
  const who = shown(from.startsWith("file:") ? fileURLToPath(from) : from);
  if (isFile) return `${who} imports ${shown(wanted)}, which is not there`;
  return `${who} imports ${wanted}, which is not installed: npm install ${wanted}`;
}

/** What esbuild says of TypeScript that is none, and of a page that cannot be bundled. */
function transformFault(message: string): string | undefined {
  const [, file, line, column, text] =
    /(?:^Transform|: Build) failed.*\n(.+?):(\d+):(\d+): ERROR: (.+)/.exec(message) ?? [];
  return file === undefined ? undefined : `${shown(file)}:${line}:${Number(column) + 1}: ${text}`;
}

function isSyntaxError(error: unknown): error is Error {
  return error instanceof Error && error.name === "SyntaxError";
}

/** Node writes the place above the message where it knows it. */
function placeAbove({ stack = "" }: Error): string | undefined {
  const [, url, line] = /^(file:\S+):(\d+)\n/.exec(stack) ?? [];
  return url === undefined ? undefined : `${shown(fileURLToPath(url))}:${line}`;
}

/** Where it came from in files of the user's: those of packages, this one among them, tell nothing. */
function placeIn(error: unknown): string | undefined {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  for (const [, place = "", line] of stack.matchAll(frame)) {
    const path = place.startsWith("file:") ? fileURLToPath(place) : place;
    if (!path.startsWith(ours) && !/[\\/]node_modules[\\/]/.test(path)) return `${shown(path)}:${line}`;
  }
  return undefined;
}

/** A line of a stack, with an address or, behind tsx, a path. */
const frame = /^ +at (?:.*\(|async )?((?:file:|\/|[A-Za-z]:\\).+?)(?:\?[^:]*)?:(\d+):\d+\)?$/gm;

/** This program: a folder of bundles, or its sources. */
const ours = fileURLToPath(new URL(import.meta.url.endsWith(".ts") ? "../../" : "./", import.meta.url));

function shown(path: string): string {
  const near = relative(process.cwd(), path);
  return near === "" || near.startsWith("..") ? path : near;
}
