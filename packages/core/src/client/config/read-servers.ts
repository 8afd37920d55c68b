import { homedir } from "node:os";
import { basename, dirname, resolve } from "node:path";
import { unknownName } from "../../tool/near-miss.ts";
import { cursorIn, showProblem } from "../../call/rules/problem.ts";
import type { Path, Problem } from "../../call/rules/problem.ts";
import { positionOf, showAt } from "./show-problem.ts";
import { BiplaneError, messageOf } from "../../errors.ts";
import { readInputs } from "./inputs.ts";
import type { AnswerInput } from "./inputs.ts";
import { maxTextLength } from "./parsed-text.ts";
import type { ParsedText } from "./parsed-text.ts";
import { readTextFile } from "./read-file.ts";
import { isDisabled, misspelled, readEntry } from "./read-entry.ts";
import type { ServerEntry } from "./server-entry.ts";
import { folderVariables } from "./variables.ts";
import { isRecord } from "../../is-record.ts";

export interface ReadServersOptions {
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly userHome?: string;
  /** Value of `${workspaceFolder}` (default: the parent of `.vscode` or `.cursor`, else the file's folder). */
  readonly workspaceFolder?: string;
  /** Additional `${…}` variables. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Answers a VS Code file's `${input:id}` (default: the defaults in the file). */
  readonly input?: AnswerInput;
  /** Names of the servers to read (default: all). */
  readonly only?: readonly string[];
}

/** Parses the text of a file. Throws an error whose `details.offset` is the position. */
type ParseText = (text: string) => ParsedText;

/** The servers of a file. Invalid entries are in `faults`; the others are usable. */
export interface ServerList {
  readonly servers: Readonly<Record<string, ServerEntry>>;
  readonly faults: readonly { readonly name: string; readonly error: BiplaneError }[];
  /** Likely mistakes, such as misspelled keys. */
  readonly warnings: readonly string[];
  /** Servers that the file disables. */
  readonly disabled: readonly string[];
}

/** Reads a server file of Claude Desktop, Cursor, VS Code, OpenCode or Eval Protocol. Starts nothing. */
export async function readServers(
  file: string,
  options: ReadServersOptions & { readonly parse: ParseText },
): Promise<ServerList> {
  return parseServers(await textOf(file), { ...options, file });
}

/** Like `readServers`, for the content of `file`. */
export async function parseServers(
  text: string,
  options: ReadServersOptions & { readonly file: string; readonly parse: ParseText },
): Promise<ServerList> {
  const { environment = process.env, userHome = homedir(), only, file } = options;
  const source = parseText(text, file, options.parse);
  const { isInWorkspace, folder } = workspaceOf(file);
  const workspaceFolder = options.workspaceFolder ?? folder;
  const all = entriesIn(source, { text, file });
  const missing = only?.find((name) => !all.some((each) => each.name === name));
  if (missing !== undefined) throw noServer(missing, file, all);
  const selected = all.filter(({ name }) => !only || only.includes(name));
  const active = selected.filter(({ value }) => only || !isDisabled(value));
  const inputs = await readInputs(isRecord(source.value) ? source.value["inputs"] : undefined, active, options.input);
  const named = { ...folderVariables({ userHome, workspaceFolder }), ...options.variables };
  const context = { variables: { environment, named, inputs }, folder: workspaceFolder, isInWorkspace };
  const servers: Record<string, ServerEntry> = {};
  const faults: { name: string; error: BiplaneError }[] = [];
  for (const { name, path, value } of active) {
    const problems: Problem[] = [];
    const entry = await readEntry(value, cursorIn(problems, path), context);
    if (problems.length === 0) servers[name] = entry;
    else faults.push({ name, error: invalid(problems, source, { text, file }) });
  }
  const warnings = active.flatMap(({ path, value }) =>
    misspelled(value).map(({ key, meant }) => {
      const problem: Problem = {
        path: [...path, key],
        at: "key",
        message: `is not a known key; did you mean ${meant}?`,
      };
      return lineOf(problem, source, { text, file });
    }),
  );
  return {
    servers,
    faults,
    warnings,
    disabled: selected.filter((each) => !active.includes(each)).map(({ name }) => name),
  };
}

interface File {
  readonly text: string;
  readonly file: string;
}

interface NamedEntry {
  readonly name: string;
  readonly path: Path;
  readonly value: unknown;
}

async function textOf(file: string): Promise<string> {
  try {
    return await readTextFile(file, { maxBytes: 4 * maxTextLength });
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    const why = isMissing ? `${file} does not exist.` : `Cannot read ${file}: ${messageOf(error)}`;
    throw new BiplaneError("INVALID_DEFINITION", why, { cause: error });
  }
}

/** Shows no source line for syntax errors, because it may contain secrets. */
function parseText(text: string, file: string, parse: ParseText): ParsedText {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof BiplaneError)) throw error;
    const { line, column } = positionOf(text, Number(error.details?.["offset"] ?? 0));
    throw new BiplaneError("INVALID_DEFINITION", `${file}:${line}:${column}: the file ${error.message}`, {
      cause: error,
    });
  }
}

/** Editors keep the file in a subfolder of the project, but start servers in the project folder. */
function workspaceOf(file: string): { folder: string; isInWorkspace: boolean } {
  const folder = dirname(resolve(file));
  const isInWorkspace = [".vscode", ".cursor"].includes(basename(folder));
  return { folder: isInWorkspace ? dirname(folder) : folder, isInWorkspace };
}

/** Finds the entries under `mcpServers`, VS Code's `servers`, or `mcp.servers` of VS Code and OpenCode. */
function entriesIn(source: ParsedText, where: File): NamedEntry[] {
  const { value } = source;
  const problems: Problem[] = [];
  const root = cursorIn(problems);
  // Older files of OpenCode have the servers directly under mcp.
  const inMcp = isRecord(value) && isRecord(value["mcp"]) && !Object.hasOwn(value["mcp"], "servers");
  const groups = [["mcpServers"], ["servers"], inMcp ? ["mcp"] : ["mcp", "servers"]].flatMap((path) => {
    const group = path.reduce<unknown>(
      (inner, key) => (isRecord(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined),
      value,
    );
    return group === undefined ? [] : [{ path, group }];
  });
  if (!isRecord(value)) root.fail("must be an object with mcpServers or servers");
  else if (groups.length === 0) {
    const [only = "mcpServers"] = Object.keys(value);
    root.at(only).fail(unknownName(only, ["mcpServers", "servers"], "a key for servers"), "key");
  }
  const entries = groups.flatMap(({ path, group }) => {
    const place = path.reduce((at, key) => at.at(key), root);
    if (!isRecord(group)) return place.fail("must be an object of servers by name") ?? [];
    return Object.entries(group).map(([name, each]) => ({ name, path: [...path, name], value: each }));
  });
  for (const [at, { name, path }] of entries.entries())
    if (entries.findIndex((each) => each.name === name) < at)
      problems.push({ path, at: "key", message: "is defined twice; rename one of them" });
  if (problems.length > 0) throw invalid(problems, source, where);
  return entries;
}

function noServer(name: string, file: string, entries: readonly NamedEntry[]): BiplaneError {
  const known = entries.map((each) => each.name);
  const which =
    known.length === 0
      ? "has no servers"
      : `has no such server: ${JSON.stringify(name)} ${unknownName(name, known, "one of them")}`;
  return new BiplaneError("INVALID_DEFINITION", `${file} ${which}`);
}

function invalid(problems: readonly Problem[], source: ParsedText, where: File): BiplaneError {
  const lines = problems.slice(0, maxShown).map((problem) => lineOf(problem, source, where));
  const more = problems.length > maxShown ? [`and ${problems.length - maxShown} more`] : [];
  return new BiplaneError("INVALID_DEFINITION", [...lines, ...more].join("\n"));
}

const maxShown = 20;

/** Hides all string values, which may be secrets. */
function lineOf(problem: Problem, source: ParsedText, { text, file }: File): string {
  const shown = { name: file, text, hidden: source.texts };
  return showAt(shown, source.rangeOf(problem.path, problem.at), showProblem(problem, "the file"));
}
