import { scriptLibrary } from "../../pack/script/language.ts";
import { StarlarkError, createPool } from "@biplane/starlark";
import type { Location, StarlarkPool } from "@biplane/starlark";
import { Source, parse } from "@biplane/starlark/syntax";

export interface EvaluateOptions {
  readonly print: (line: string) => void;
  readonly signal?: AbortSignal;
}

/**
 * Runs one input after another in a worker. Programs have no clock or network, so a replay gives the same state: each
 * input runs after a silent replay of all earlier ones. A failed input leaves no trace.
 */
export class StarlarkSession implements AsyncDisposable {
  readonly #pool: StarlarkPool = createPool({ size: 1 });
  #kept: readonly Line[] = [];
  #entered = 0;

  /** The `repr` of the input's last expression; undefined without one, or for None. */
  async evaluate(input: string, { print, signal }: EvaluateOptions): Promise<string | undefined> {
    const before = this.#entered;
    this.#entered += input.split("\n").length;
    const chunk = chunkOf(input, before);
    const program = [...this.#kept, quiet("_biplane_begin()"), ...chunk.lines, ...chunk.show];
    let isReplayed = false;
    let shown: string | undefined;
    const begin = () => void (isReplayed = true);
    const show = (text: string) => void (shown = text);
    try {
      await this.#pool.run(program.map(({ text }) => text).join("\n"), {
        file: sessionFile,
        library: scriptLibrary,
        globals: { _biplane_begin: begin, _biplane_show: show },
        print: (line) => (isReplayed ? print(line) : undefined),
        dialect: sessionDialect,
        limits: unlimited,
        ...(signal && { signal }),
      });
    } catch (error) {
      throw error instanceof StarlarkError ? moved(error, (line) => program[line - 1]?.entered ?? line) : error;
    }
    this.#kept = [...this.#kept, ...chunk.lines];
    return shown === "None" ? undefined : shown;
  }

  /** Runs a file on its own, without the session's definitions. */
  async runFile(
    file: string,
    source: string,
    options: EvaluateOptions & { load: (module: string) => Promise<string> },
  ) {
    const { print, signal, load } = options;
    const limits = unlimited;
    const common = { file, library: scriptLibrary, dialect: sessionDialect, limits, print, load };
    await this.#pool.run(source, { ...common, ...(signal && { signal }) });
  }

  reset(): void {
    this.#kept = [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool.close();
  }
}

/** True if the input needs more lines. A blank line ends a block. */
export function isUnfinished(input: string): boolean {
  const endsBlank = input === "" || /(^|\n)[ \t]*$/.test(input);
  try {
    const last = parse(new Source(sessionFile, `${input}\n`)).at(-1);
    return !endsBlank && last !== undefined && ["def", "if", "for", "while"].includes(last.kind);
  } catch (error) {
    if (!(error instanceof StarlarkError)) throw error;
    const { reason } = error;
    if (reason.includes("want indent")) return !endsBlank;
    return reason.includes("got end of file") || reason.includes("unexpected EOF in string");
  }
}

const sessionFile = "<input>";
const sessionDialect = { while: true, topLevelControl: true, globalReassign: true, recursion: true } as const;
const unlimited = { timeMs: 2 ** 31 - 1000, steps: Infinity, memoryBytes: 2 ** 40, outputBytes: Infinity };

/** A line of the program, and the session's line number that it came from. */
interface Line {
  readonly text: string;
  readonly entered: number | undefined;
}

const quiet = (text: string): Line => ({ text, entered: undefined });

/** Assigns the last expression to `_`. The assignment is on its own line, so that error columns stay right. */
function chunkOf(input: string, before: number): { lines: Line[]; show: Line[] } {
  const source = new Source(sessionFile, input);
  let last;
  try {
    last = parse(source).at(-1);
  } catch (error) {
    throw error instanceof StarlarkError ? moved(error, (line) => line + before) : error;
  }
  const at = last?.kind === "expression" ? last.expression.start : undefined;
  const [head, tail] = at === undefined ? [source.text, undefined] : [source.text.slice(0, at), source.text.slice(at)];
  const lines = head.split("\n").map((text, index): Line => ({ text, entered: before + index + 1 }));
  if (tail === undefined) return { lines, show: [] };
  const from = lines.pop() as Line;
  const indent = " ".repeat(from.text.length); // indentation is ignored inside a continued line
  const rest = tail.split("\n").map((text, index): Line => {
    return { text: index === 0 ? indent + text : text, entered: (from.entered ?? 0) + index };
  });
  return {
    lines: [...lines, { ...from, text: `${from.text}_ = \\` }, ...rest],
    show: [quiet("_biplane_show(repr(_))")],
  };
}

/** The same error with the session's line numbers. */
function moved(error: StarlarkError, lineOf: (line: number) => number): StarlarkError {
  const move = (location: Location): Location => ({ ...location, line: lineOf(location.line) });
  const { code, reason, location, excerpt, frames, problems, cause } = error;
  return new StarlarkError(code, reason, {
    location: location && move(location),
    excerpt,
    frames: frames.map((frame) => (frame.location ? { ...frame, location: move(frame.location) } : frame)),
    problems: problems.map((problem) => ({ ...problem, location: move(problem.location) })),
    cause,
  });
}
