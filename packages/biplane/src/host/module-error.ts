import { basename, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { BiplaneError } from "@biplane/core";
import { messageOf } from "@biplane/core/internal";

/** Explains why a user's file could not be imported: the location, the cause and the fix. */
export function moduleError(path: string, error: unknown): BiplaneError {
  return new BiplaneError("INVALID_DEFINITION", sentence(path, error), { cause: error });
}

function sentence(path: string, error: unknown): string {
  const name = shown(path);
  const message = messageOf(error);
  const { code } = Object(error) as NodeJS.ErrnoException;
  if (code === "ERR_REQUIRE_CYCLE_MODULE" || code === "ERR_REQUIRE_ESM")
    return `Node treats ${name} as CommonJS because its package.json does not set "type": "module". Run npm pkg set type=module, or rename it to ${basename(path).replace(/\.(\w+)$/, ".m$1")}.`;
  if (code === "ERR_MODULE_NOT_FOUND") return notFound(message);
  if (code === "ERR_UNKNOWN_FILE_EXTENSION")
    return `${name} is not a module. Its name must end in .ts, .mts, .js or .mjs.`;
  const transform = transformFault(message);
  if (transform !== undefined) return transform;
  if (isSyntaxError(error)) {
    const place = placeAbove(error);
    if (place !== undefined) return `${place}: ${message}`;
    return `${name}, or a file it imports, has a syntax error: ${message}. Run node --check ${name} to find it.`;
  }
  const place = placeIn(error);
  return `${name} threw while loading${place === undefined ? "" : `, at ${place}`}: ${message}`;
}

function notFound(message: string): string {
  const [, wanted = "", from = ""] = /^Cannot find (?:package|module) '(.+?)' imported from (.+)$/.exec(message) ?? [];
  if (wanted === "") return message;
  const isFile = /^([./]|file:|[A-Za-z]:)/.test(wanted);
  const importer = shown(from.startsWith("file:") ? fileURLToPath(from) : from);
  if (isFile) return `${importer} imports ${shown(wanted)}, which does not exist.`;
  return `${importer} imports ${wanted}, which is not installed. Run npm install ${wanted}.`;
}

/** Location and message of an esbuild error: invalid TypeScript, or an app page that cannot be bundled. */
function transformFault(message: string): string | undefined {
  const [, file, line, column, text] =
    /(?:^Transform|: Build) failed.*\n(.+?):(\d+):(\d+): ERROR: (.+)/.exec(message) ?? [];
  return file === undefined ? undefined : `${shown(file)}:${line}:${Number(column) + 1}: ${text}`;
}

function isSyntaxError(error: unknown): error is Error {
  return error instanceof Error && error.name === "SyntaxError";
}

/** Node puts the location of a syntax error on the first line of the stack. */
function placeAbove({ stack = "" }: Error): string | undefined {
  const [, url, line] = /^(file:\S+):(\d+)\n/.exec(stack) ?? [];
  return url === undefined ? undefined : `${shown(fileURLToPath(url))}:${line}`;
}

/** The first stack frame in the user's own files. Frames of installed packages do not help. */
function placeIn(error: unknown): string | undefined {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  for (const [, place = "", line] of stack.matchAll(frame)) {
    const path = place.startsWith("file:") ? fileURLToPath(place) : place;
    if (!path.startsWith(ours) && !/[\\/]node_modules[\\/]/.test(path)) return `${shown(path)}:${line}`;
  }
  return undefined;
}

/** A stack frame with a `file:` URL or, under tsx, a path. */
const frame = /^ +at (?:.*\(|async )?((?:file:|\/|[A-Za-z]:\\).+?)(?:\?[^:]*)?:(\d+):\d+\)?$/gm;

/** The folder that holds this package and the @biplane packages: `packages` in a clone, else `node_modules`. */
const ours = fileURLToPath(new URL(import.meta.url.endsWith(".ts") ? "../../../" : "../../", import.meta.url));

function shown(path: string): string {
  const near = relative(process.cwd(), path);
  return near === "" || near.startsWith("..") ? path : near;
}
