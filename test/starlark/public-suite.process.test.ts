import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { createNamespace, createObject, run, StarlarkError, type Dialect } from "@biplane/starlark";
import { Builtin } from "../../packages/starlark/src/values/callable.ts";
import { freeze } from "../../packages/starlark/src/values/freeze.ts";
import { skipWithout } from "../support/needs.ts";

/**
 * The test files of starlark-go, read from the Go module cache. They are cut
 * at `---`, and `### "pattern"` expects an error on its line.
 */
const suite = findSuite();
const needsSuite = skipWithout(suite !== undefined, "Go (the module go.starlark.net cannot be downloaded)");

describe("the public test files of starlark-go", needsSuite, () => {
  const root = suite ?? "";
  const directory = join(root, "starlark", "testdata");
  const names = suite === undefined ? [] : readdirSync(directory).filter((name) => languageFiles.has(name));
  it.each(names)("%s passes", (name) => {
    const failures = chunksOf(join(directory, name)).flatMap((chunk) => runChunk(root, chunk));
    expect(failures).toEqual([]);
  });

  it("resolve.star reports every static error where it is expected", () => {
    const chunks = chunksOf(join(root, "resolve", "testdata", "resolve.star"));
    expect(chunks.flatMap((chunk) => checkStatic(chunk, { M: null, U: null }))).toEqual([]);
  });

  it("errors.star reports every syntax error where it is expected", () => {
    const chunks = chunksOf(join(root, "syntax", "testdata", "errors.star"));
    expect(chunks.flatMap((chunk) => checkSyntax(chunk))).toEqual([]);
  });
});

/** The others test packages of starlark-go that are not part of the language. */
const languageFiles = new Set(
  "assign bool builtins bytes control dict float function int list misc paths recursion set string tuple while"
    .split(" ")
    .map((name) => `${name}.star`),
);

interface Chunk {
  readonly file: string;
  readonly text: string;
  readonly dialect: Dialect;
  readonly expected: readonly { line: number; pattern: RegExp }[];
}

function findSuite(): string | undefined {
  try {
    const found = execFileSync("go", ["mod", "download", "-json", "go.starlark.net"], {
      cwd: fileURLToPath(new URL("reference", import.meta.url)),
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      timeout: 60_000,
    });
    return (JSON.parse(found) as { Dir: string }).Dir;
  } catch {
    return undefined;
  }
}

function chunksOf(file: string): Chunk[] {
  const lines = readFileSync(file, "utf8").split("\n");
  const chunks: Chunk[] = [];
  let start = 0;
  for (let index = 0; index <= lines.length; index++) {
    if (index < lines.length && lines[index] !== "---") continue;
    // Blank lines before a chunk keep its line numbers those of the file.
    const text = "\n".repeat(start) + lines.slice(start, index).join("\n");
    const options = new Set(Array.from(text.matchAll(/option:(\w+)/g), ([, option]) => option));
    const expected = lines.slice(start, index).flatMap((line, offset) => {
      const match = /### *(?:"((?:[^"\\]|\\.)*)"|`([^`]*)`)/.exec(line);
      if (!match) return [];
      const source = match[2] ?? (JSON.parse(`"${match[1]}"`) as string);
      return [{ line: start + offset + 1, pattern: new RegExp(source) }];
    });
    const dialect = {
      set: options.has("set"),
      while: options.has("while"),
      recursion: options.has("recursion"),
      globalReassign: options.has("globalreassign"),
      topLevelControl: options.has("toplevelcontrol"),
      loadBindsGlobally: options.has("loadbindsglobally"),
    };
    chunks.push({ file, text, dialect, expected });
    start = index + 1;
  }
  return chunks;
}

function runChunk(root: string, chunk: Chunk): string[] {
  const failures: string[] = [];
  const report = (message: string): void => void failures.push(message);
  try {
    run(chunk.text, {
      file: chunk.file,
      dialect: chunk.dialect,
      globals: { hasfields: createFields, fibonacci: createFibonacci(), struct: createStruct },
      load: (module) => (module === "assert.star" ? loadAssert(root, report) : {}),
    });
    failures.push(...chunk.expected.map(({ line, pattern }) => `line ${line}: expected an error ${pattern}`));
  } catch (error) {
    if (!(error instanceof StarlarkError)) throw error;
    const [first] = chunk.expected;
    const matches = first && error.location?.line === first.line && first.pattern.test(error.reason);
    if (!matches) failures.push(`unexpected: ${error.report}`);
  }
  return failures;
}

function loadAssert(root: string, report: (message: string) => void): ReturnType<typeof run> {
  return run(readFileSync(join(root, "starlarktest", "assert.star"), "utf8"), {
    file: "assert.star",
    globals: {
      error: (message: string) => report(message),
      catch: (callable: () => unknown) => {
        try {
          callable();
          return null;
        } catch (error) {
          return error instanceof StarlarkError ? error.reason : String(error);
        }
      },
      matches: (pattern: string, text: string) => new RegExp(pattern).test(text),
      module: (name: string, members: Record<string, unknown>) => createNamespace(name, members),
      _freeze: new Builtin("freeze", ({ positional: [value = null] }) => {
        freeze([value]);
        return value;
      }),
      _floateq: (left: number, right: number) => {
        return Object.is(left, right) || Math.abs(left - right) <= Math.abs(left) * Number.EPSILON;
      },
    },
  });
}

/** A value with fields, which starlark-go's own tests define for themselves. */
function createFields(): unknown {
  const fields = new Map<string, unknown>();
  let isFrozen = false;
  return createObject({
    type: "hasfields",
    get: (name) => fields.get(name),
    set: (name, value) => {
      if (isFrozen) throw new Error("cannot set field on a frozen hasfields");
      if (name.startsWith("no")) return false;
      fields.set(name, value);
      return true;
    },
    names: () => [...fields.keys()],
    binary: (operator, other) => (operator === "+" && Array.isArray(other) ? 42 : undefined),
    freeze: () => {
      isFrozen = true;
    },
  });
}

function createStruct(members: Record<string, unknown> = {}): unknown {
  return createNamespace("struct", members);
}

function createFibonacci(): unknown {
  return createObject({
    type: "fibonacci",
    *iterate() {
      for (let [x, y] = [0, 1]; ; [x, y] = [y, x + y]) yield x;
    },
  });
}

function checkStatic(chunk: Chunk, globals: Record<string, unknown>): string[] {
  let problems: StarlarkError["problems"] = [];
  try {
    run(chunk.text, { file: chunk.file, dialect: chunk.dialect, globals, limits: { steps: 10 } });
  } catch (error) {
    if (!(error instanceof StarlarkError)) throw error;
    if (error.code === "syntax") problems = error.problems;
  }
  const missing = chunk.expected.filter(({ line, pattern }) => {
    return !problems.some(({ reason, location }) => location.line === line && pattern.test(reason));
  });
  const surprising = problems.filter(({ location }) => !chunk.expected.some(({ line }) => line === location.line));
  return [
    ...missing.map(({ line, pattern }) => `line ${line}: expected ${pattern}, got ${JSON.stringify(problems)}`),
    ...surprising.map(({ reason, location }) => `line ${location.line}: unexpected ${reason}`),
  ];
}

/** Only the parser's first error counts here; what the resolver would say afterwards does not. */
function checkSyntax(chunk: Chunk): string[] {
  const [expected] = chunk.expected;
  if (!expected) return [];
  const failures = checkStatic({ ...chunk, expected: [expected] }, {});
  return failures.filter((failure) => failure.startsWith(`line ${expected.line}:`));
}
