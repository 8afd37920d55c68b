import type { Value } from "../values/value.ts";
import { Failure } from "./failure.ts";
import type { Frame } from "./frame.ts";
import { defaultLimits, type Limits } from "./limits.ts";

export interface ThreadOptions {
  readonly limits?: Limits | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Receives each printed line as a Starlark string. */
  readonly print?: ((line: string) => void) | undefined;
  /** Finds the globals of another file for a `load` statement. */
  readonly load?: ((module: string) => ReadonlyMap<string, Value>) | undefined;
  readonly now?: (() => number) | undefined;
}

/** One run of Starlark code: its call stack and its resource usage. */
export class Thread {
  top: Frame | undefined = undefined;
  callDepth = 0;
  nativeFrames = 0;
  /** Steps left until the next check of the limits. */
  fuel = 0;
  allocated = 0;
  readonly limits: Required<Limits>;
  readonly load: ((module: string) => ReadonlyMap<string, Value>) | undefined;
  readonly #signal: AbortSignal | undefined;
  readonly #print: ((line: string) => void) | undefined;
  readonly #now: () => number;
  readonly #deadline: number;
  #grantedSteps = 0;
  #outputBytes = 0;

  constructor(options: ThreadOptions = {}) {
    this.limits = { ...defaultLimits, ...options.limits };
    this.load = options.load;
    this.#signal = options.signal;
    this.#print = options.print;
    this.#now = options.now ?? (() => performance.now());
    this.#deadline = this.#now() + this.limits.timeMs;
  }

  get steps(): number {
    return this.#grantedSteps - this.fuel;
  }

  /** Counts steps. Work that grows with the size of its operands must be counted here. */
  charge(steps: number): void {
    if ((this.fuel -= steps) < 0) this.#checkLimits();
  }

  /** Counts bytes before they are allocated. */
  allocate(bytes: number): void {
    if ((this.allocated += bytes) > this.limits.memoryBytes) {
      throw new Failure(
        `Starlark computation cancelled: more than ${this.limits.memoryBytes} bytes allocated`,
        "limit",
      );
    }
  }

  print(line: string): void {
    this.#outputBytes += line.length + 1;
    if (this.#outputBytes > this.limits.outputBytes) {
      throw new Failure(`Starlark computation cancelled: more than ${this.limits.outputBytes} bytes printed`, "limit");
    }
    this.#print?.(line);
  }

  #checkLimits(): void {
    const used = this.steps;
    if (used > this.limits.steps) throw new Failure("Starlark computation cancelled: too many steps", "limit");
    if (this.#signal?.aborted) throw new Failure("Starlark computation cancelled", "cancelled", this.#signal.reason);
    if (this.limits.timeMs !== Number.POSITIVE_INFINITY && this.#now() > this.#deadline) {
      throw new Failure(`Starlark computation cancelled: more than ${this.limits.timeMs} ms`, "limit");
    }
    const grant = Math.min(stepsBetweenChecks, this.limits.steps - used);
    this.fuel = grant;
    this.#grantedSteps = used + grant;
  }
}

const stepsBetweenChecks = 20_000;
