/**
 * The kind of an error: the program does not parse or resolve (`syntax`), failed while running (`evaluation`), hit a
 * limit (`limit`), was cancelled (`cancelled`), a host function or loader threw (`host`), a value cannot be converted
 * between Starlark and the host (`conversion`), or the function to call does not exist (`call`).
 */
export type StarlarkErrorCode = "syntax" | "evaluation" | "limit" | "cancelled" | "host" | "conversion" | "call";

/** A position in a Starlark file. Line and column start at 1; columns count characters. */
export interface Location {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** One active call at the time of an error; a built-in function has no location. */
export interface StackFrame {
  readonly name: string;
  readonly location?: Location;
}

export interface StarlarkErrorDetails {
  readonly location?: Location | undefined;
  readonly excerpt?: string | undefined;
  readonly frames?: readonly StackFrame[];
  readonly problems?: readonly Problem[];
  readonly cause?: unknown;
}

/** One static error; a program that does not resolve may have several. */
export interface Problem {
  readonly reason: string;
  readonly location: Location;
}

/** Every error of the Starlark interpreter. `message` is location and reason in one line. */
export class StarlarkError extends Error {
  override readonly name = "StarlarkError";
  readonly code: StarlarkErrorCode;
  /** The reason without the location. */
  readonly reason: string;
  readonly location: Location | undefined;
  /** The source line with a caret under the column. */
  readonly excerpt: string | undefined;
  /** The active calls, outermost first. */
  readonly frames: readonly StackFrame[];
  /** Every static error of the program; empty unless the code is `syntax`. */
  readonly problems: readonly Problem[];

  constructor(code: StarlarkErrorCode, reason: string, details: StarlarkErrorDetails = {}) {
    const { location } = details;
    super(location ? `${formatLocation(location)}: ${reason}` : reason, { cause: details.cause });
    this.code = code;
    this.reason = reason;
    this.location = location;
    this.excerpt = details.excerpt;
    this.frames = details.frames ?? [];
    this.problems = details.problems ?? [];
  }

  /** The call stack in the form starlark-go prints it. */
  get traceback(): string {
    if (this.frames.length === 0) return `Error: ${this.message}`;
    const last = this.frames.at(-1);
    const lines = this.frames.map(({ name, location }) => {
      return `  ${location ? formatLocation(location) : "<builtin>"}: in ${name}`;
    });
    const innermostIsBuiltin = last !== undefined && last.location === undefined;
    if (innermostIsBuiltin) lines.pop();
    const heading = innermostIsBuiltin ? `Error in ${last.name}` : "Error";
    return ["Traceback (most recent call last):", ...lines, `${heading}: ${this.reason}`].join("\n");
  }

  /** For display: the traceback, then the source line with a caret. */
  get report(): string {
    return this.excerpt === undefined ? this.traceback : `${this.traceback}\n${this.excerpt}`;
  }
}

export function formatLocation({ file, line, column }: Location): string {
  return `${file}:${line}:${column}`;
}
