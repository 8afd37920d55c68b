import { StarlarkError } from "../errors.ts";
import { crossBoundary } from "../runtime/boundary.ts";
import { call } from "../runtime/call.ts";
import type { Limits } from "../runtime/limits.ts";
import { Thread, type ThreadOptions } from "../runtime/thread.ts";
import { decodeUtf8, encodeUtf8 } from "../utf8.ts";
import { freeze } from "../values/freeze.ts";
import type { Value } from "../values/value.ts";
import { fromHost, toHost } from "./convert.ts";
import { inThreadBridge } from "./in-thread-bridge.ts";

export interface CallOptions {
  /** Keyword arguments. */
  readonly named?: Readonly<Record<string, unknown>>;
  readonly limits?: Limits;
  readonly signal?: AbortSignal;
}

/** A file that has run, with its frozen globals and callable functions. */
export class StarlarkModule {
  readonly file: string;
  /** Number of steps of the top level. */
  readonly steps: number;
  /** The globals as Starlark values, for `load`. */
  readonly exports: ReadonlyMap<string, Value>;
  readonly #threadOptions: ThreadOptions;

  constructor(file: string, parts: { exports: ReadonlyMap<string, Value>; thread: Thread; options: ThreadOptions }) {
    this.file = file;
    this.steps = parts.thread.steps;
    this.exports = parts.exports;
    this.#threadOptions = parts.options;
    freeze(parts.exports.values());
  }

  /** The names of the globals, in the order of their definition. */
  get names(): string[] {
    return Array.from(this.exports.keys(), decodeUtf8);
  }

  /** All globals as host values. Functions can be called like any other. */
  get globals(): Record<string, unknown> {
    return Object.fromEntries(this.names.map((name) => [name, this.get(name)]));
  }

  /** A global as a host value; undefined when there is none of that name. */
  get(name: string): unknown {
    const value = this.exports.get(encodeUtf8(name));
    return value === undefined ? undefined : toHost(value, this.#bridge({}));
  }

  /** Calls a function of the module with fresh limits. */
  call(name: string, args: readonly unknown[] = [], options: CallOptions = {}): unknown {
    const callee = this.exports.get(encodeUtf8(name));
    if (callee === undefined) throw new StarlarkError("evaluation", `${this.file} has no global ${name}`);
    const thread = this.#openThread(options);
    const bridge = this.#bridge(options);
    return crossBoundary(thread, () => {
      const positional = args.map((argument) => fromHost(thread, argument, bridge));
      const named = Object.entries(options.named ?? {}).map(([key, value]) => {
        return [encodeUtf8(key), fromHost(thread, value, bridge)] as const;
      });
      return toHost(call(thread, callee, positional, named), bridge);
    });
  }

  #bridge(options: CallOptions): ReturnType<typeof inThreadBridge> {
    return inThreadBridge(() => this.#openThread(options));
  }

  #openThread({ limits, signal }: CallOptions): Thread {
    return new Thread({
      ...this.#threadOptions,
      limits: { ...this.#threadOptions.limits, ...limits },
      signal: signal ?? this.#threadOptions.signal,
    });
  }
}
