import { constants, open } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, resolve } from "node:path";
import { unknownName } from "../../call/rules/near-miss.ts";
import { placeIn, showProblem } from "../../call/rules/problem.ts";
import type { Path, Problem } from "../../call/rules/problem.ts";
import { isRecord } from "../../call/rules/read-list.ts";
import { positionOf, showAt } from "../../config/show-problem.ts";
import { BiplaneError, messageOf } from "../../errors.ts";
import { readInputs } from "./inputs.ts";
import type { AnswerInput } from "./inputs.ts";
import { longestText, readJsonc } from "./jsonc.ts";
import type { JsoncSource } from "./jsonc.ts";
import { isDisabled, misspelled, readEntry } from "./read-entry.ts";
import type { ServerEntry } from "./server-entry.ts";
import { places } from "./variables.ts";

export interface ReadServersOptions {
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly userHome?: string;
  /** What `${workspaceFolder}` is; left out, the folder above `.vscode` or `.cursor`, else that of the file. */
  readonly workspaceFolder?: string;
  /** Further names that `${…}` may have. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Answers what a VS Code file asks for with `${input:id}`; left out, only the defaults there are. */
  readonly input?: AnswerInput;
  /** Only these, by name. */
  readonly only?: readonly string[];
}

/** The servers of a file. Entries that cannot be used are told of, and the others can be. */
export interface ServerList {
  readonly servers: Readonly<Record<string, ServerEntry>>;
  readonly faults: readonly { readonly name: string; readonly error: BiplaneError }[];
  /** What is probably not meant the way it is written. */
  readonly warnings: readonly string[];
  /** Those that their file says are not to be started. */
  readonly disabled: readonly string[];
}

/** Reads a file of servers as Claude Desktop, Cursor, VS Code and Eval Protocol write them. Nothing is started. */
export async function readServers(file: string, options: ReadServersOptions = {}): Promise<ServerList> {
  return parseServers(await textOf(file), { ...options, file });
}

/** The same for a text; `file` is where it is from. */
export async function parseServers(
  text: string,
  options: ReadServersOptions & { readonly file: string },
): Promise<ServerList> {
  const { environment = process.env, userHome = homedir(), only, file } = options;
  const source = parse(text, file);
  const { isInWorkspace, folder } = workspaceOf(file);
  const workspaceFolder = options.workspaceFolder ?? folder;
  const written = entriesIn(source, { text, file });
  const missing = only?.find((name) => !written.some((each) => each.name === name));
  if (missing !== undefined) throw noServer(missing, file, written);
  const wanted = written.filter(({ name }) => !only || only.includes(name));
  const active = wanted.filter(({ value }) => only || !isDisabled(value));
  const inputs = await readInputs(isRecord(source.value) ? source.value["inputs"] : undefined, active, options.input);
  const named = { ...places({ userHome, workspaceFolder }), ...options.variables };
  const context = { variables: { environment, named, inputs }, folder: workspaceFolder, isInWorkspace };
  const servers: Record<string, ServerEntry> = {};
  const faults: { name: string; error: BiplaneError }[] = [];
  for (const { name, path, value } of active) {
    const problems: Problem[] = [];
    const entry = await readEntry(value, placeIn(problems, path), context);
    if (problems.length === 0) servers[name] = entry;
    else faults.push({ name, error: refusal(problems, source, { text, file }) });
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
    disabled: wanted.filter((each) => !active.includes(each)).map(({ name }) => name),
  };
}

interface File {
  readonly text: string;
  readonly file: string;
}

interface Written {
  readonly name: string;
  readonly path: Path;
  readonly value: unknown;
}

async function textOf(file: string): Promise<string> {
  try {
    // Without waiting: a pipe that nobody writes to would never open.
    await using handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const about = await handle.stat();
    if (!about.isFile()) throw new Error("it is not a file");
    if (about.size > 4 * longestText) throw new Error(`it is larger than ${longestText} characters`);
    return new TextDecoder("utf-8", { fatal: true }).decode(await handle.readFile());
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    const why = isMissing ? `there is no file ${file}` : `cannot read ${file}: ${messageOf(error)}`;
    throw new BiplaneError("INVALID_DEFINITION", why, { cause: error });
  }
}

/** A text that cannot be read is not shown: nobody knows where in it the secrets are. */
function parse(text: string, file: string): JsoncSource {
  try {
    return readJsonc(text);
  } catch (error) {
    if (!(error instanceof BiplaneError)) throw error;
    const { line, column } = positionOf(text, Number(error.details?.["offset"] ?? 0));
    throw new BiplaneError("INVALID_DEFINITION", `${file}:${line}:${column}: the file ${error.message}`, {
      cause: error,
    });
  }
}

/** Editors keep their file in a folder of the project, and start servers in the project. */
function workspaceOf(file: string): { folder: string; isInWorkspace: boolean } {
  const folder = dirname(resolve(file));
  const isInWorkspace = [".vscode", ".cursor"].includes(basename(folder));
  return { folder: isInWorkspace ? dirname(folder) : folder, isInWorkspace };
}

/** Where hosts keep their servers: `mcpServers`, in VS Code `servers`, in its settings `mcp.servers`. */
function entriesIn(source: JsoncSource, where: File): Written[] {
  const { value } = source;
  const problems: Problem[] = [];
  const root = placeIn(problems);
  const groups = [["mcpServers"], ["servers"], ["mcp", "servers"]].flatMap((path) => {
    const group = path.reduce<unknown>(
      (inner, key) => (isRecord(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined),
      value,
    );
    return group === undefined ? [] : [{ path, group }];
  });
  if (!isRecord(value)) root.fail("must be a group of keys with mcpServers or servers in it");
  else if (groups.length === 0) {
    const [only = "mcpServers"] = Object.keys(value);
    root.at(only).fail(unknownName(only, ["mcpServers", "servers"], "where servers are"), "key");
  }
  const entries = groups.flatMap(({ path, group }) => {
    const place = path.reduce((at, key) => at.at(key), root);
    if (!isRecord(group)) return place.fail("must be a group of servers by name") ?? [];
    return Object.entries(group).map(([name, each]) => ({ name, path: [...path, name], value: each }));
  });
  for (const [at, { name, path }] of entries.entries())
    if (entries.findIndex((each) => each.name === name) < at)
      problems.push({ path, at: "key", message: "is there twice; rename one of them" });
  if (problems.length > 0) throw refusal(problems, source, where);
  return entries;
}

function noServer(name: string, file: string, written: readonly Written[]): BiplaneError {
  const known = written.map((each) => each.name);
  const which =
    known.length === 0
      ? "has no servers"
      : `has no such server: ${JSON.stringify(name)} ${unknownName(name, known, "one of them")}`;
  return new BiplaneError("INVALID_DEFINITION", `${file} ${which}`);
}

function refusal(problems: readonly Problem[], source: JsoncSource, where: File): BiplaneError {
  const lines = problems.slice(0, mostShown).map((problem) => lineOf(problem, source, where));
  const more = problems.length > mostShown ? [`and ${problems.length - mostShown} more`] : [];
  return new BiplaneError("INVALID_DEFINITION", [...lines, ...more].join("\n"));
}

const mostShown = 20;

/** Texts may be secret, so none of them is shown. */
function lineOf(problem: Problem, source: JsoncSource, { text, file }: File): string {
  const shown = { name: file, text, hidden: source.texts };
  return showAt(shown, source.rangeOf(problem.path, problem.at), showProblem(problem, "the file"));
}
