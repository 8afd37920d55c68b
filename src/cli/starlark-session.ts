import { format } from "../pack/script/modules/format.ts";
import { jsonModule } from "../pack/script/modules/json.ts";
import { mathModule } from "../pack/script/modules/math.ts";
import { createPool, StarlarkError } from "../starlark/index.ts";
import type { Location, StarlarkPool } from "../starlark/index.ts";
import { parse } from "../starlark/syntax/parser.ts";
import { Source } from "../starlark/syntax/source.ts";

export interface EvaluateOptions {
  readonly print: (line: string) => void;
  readonly signal?: AbortSignal;
}

/**
 * Starlark, one input after another, in a worker that can be stopped. Programs have no clock and no network here, so
 * they do the same every time: each input runs after those before it, quietly. One that fails leaves nothing behind.
 */
export class StarlarkSession implements AsyncDisposable {
  readonly #pool: StarlarkPool = createPool({ size: 1 });
  #kept: readonly Line[] = [];
  #entered = 0;

  /** What the input's last expression came to, as the language writes it; nothing where there is none or None. */
  async evaluate(input: string, { print, signal }: EvaluateOptions): Promise<string | undefined> {
    const before = this.#entered;
    this.#entered += input.split("\n").length;
    const chunk = chunkOf(input, before);
    const program = [...this.#kept, quiet("_biplane_begin()"), ...chunk.lines, ...chunk.show];
    let isHeard = false;
    let shown: string | undefined;
    const begin = () => void (isHeard = true);
    const show = (text: string) => void (shown = text);
    try {
      await this.#pool.run(program.map(({ text }) => text).join("\n"), {
        file: sessionFile,
        globals: { ...sessionModules(), _biplane_begin: begin, _biplane_show: show },
        print: (line) => (isHeard ? print(line) : undefined),
        dialect: sessionDialect,
        limits: withoutEnd,
        ...(signal && { signal }),
      });
    } catch (error) {
      throw error instanceof StarlarkError ? moved(error, (line) => program[line - 1]?.entered ?? line) : error;
    }
    this.#kept = [...this.#kept, ...chunk.lines];
    return shown === "None" ? undefined : shown;
  }

  /** A whole file, by itself. */
  async runFile(
    file: string,
    source: string,
    options: EvaluateOptions & { load: (module: string) => Promise<string> },
  ) {
    const { print, signal, load } = options;
    const limits = withoutEnd;
    const common = { file, globals: sessionModules(), dialect: sessionDialect, limits, print, load };
    await this.#pool.run(source, { ...common, ...(signal && { signal }) });
  }

  reset(): void {
    this.#kept = [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool.close();
  }
}

/** Whether more lines must come before this can run. A blank line ends what could go on. */
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
const withoutEnd = { timeMs: 2 ** 31 - 1000, steps: Infinity, memoryBytes: 2 ** 40, outputBytes: Infinity };

const sessionModules = () => ({ json: jsonModule(), math: mathModule(), format });

/** A line of the program, and the line of the session it came from. */
interface Line {
  readonly text: string;
  readonly entered: number | undefined;
}

const quiet = (text: string): Line => ({ text, entered: undefined });

/** The value of a last expression is kept as `_`, on a line of its own so that no column moves. */
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
  const indent = " ".repeat(from.text.length); // inside a continued line, spaces mean nothing
  const rest = tail.split("\n").map((text, index): Line => {
    return { text: index === 0 ? indent + text : text, entered: (from.entered ?? 0) + index };
  });
  return {
    lines: [...lines, { ...from, text: `${from.text}_ = \\` }, ...rest],
    show: [quiet("_biplane_show(repr(_))")],
  };
}

/** The same error with the lines that its reader knows. */
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
