import { crossBoundary } from "../runtime/boundary.ts";
import { Failure } from "../runtime/failure.ts";
import type { Limits } from "../runtime/limits.ts";
import { Thread, type ThreadOptions } from "../runtime/thread.ts";
import { libraryOf, type LibraryName } from "../library/library.ts";
import type { Dialect } from "../syntax/dialect.ts";
import { decodeUtf8, encodeUtf8 } from "../utf8.ts";
import type { Value } from "../values/value.ts";
import { fromHost, type FunctionBridge } from "./convert.ts";
import { execute } from "./execute.ts";
import { inThreadBridge, wrapHostError } from "./in-thread-bridge.ts";
import { createLoader, type Exports } from "./loader.ts";
import { StarlarkModule } from "./module.ts";

/** Options of every way to run a program. */
export interface ProgramOptions {
  /** File name in error messages. */
  readonly file?: string;
  /** Parts of the library that the program can use by name (default: none). */
  readonly library?: readonly LibraryName[];
  readonly limits?: Limits;
  readonly signal?: AbortSignal;
  readonly dialect?: Dialect;
}

export interface RunOptions extends ProgramOptions {
  /** Values and functions of the host that the program can use by name. */
  readonly globals?: Readonly<Record<string, unknown>>;
  /** Resolves `load` statements to the text of a file, a module that has run, or an object of host values. */
  readonly load?: (module: string) => string | StarlarkModule | Readonly<Record<string, unknown>>;
  /** Receives each printed line. */
  readonly print?: (line: string) => void;
  /** The clock of the time limit. */
  readonly now?: () => number;
}

/** Runs a Starlark program in this thread and returns its module. Throws a `StarlarkError` when it fails. */
export function run(source: string, options: RunOptions = {}): StarlarkModule {
  const { file = "main.star", limits, signal, now, print, load, dialect } = options;
  const threadOptions: ThreadOptions = {
    limits,
    signal,
    now,
    print: print && ((line) => print(decodeUtf8(line))),
    load: load && createLoader((module) => loadModule(module)),
  };
  const thread = new Thread(threadOptions);
  const bridge = inThreadBridge(() => new Thread(threadOptions));
  const predeclared = crossBoundary(thread, () => {
    return new Map([...libraryOf(options.library ?? []), ...convertNames(thread, options.globals ?? {}, bridge)]);
  });

  function loadModule(module: string): Exports {
    try {
      const found = load?.(decodeUtf8(module)) ?? {};
      if (found instanceof StarlarkModule) return found.exports;
      if (typeof found !== "string") return convertNames(thread, found, bridge);
      // A loaded file counts towards the limits of the program that loads it.
      const { exports } = execute(thread, { file: decodeUtf8(module), text: found, dialect, predeclared });
      return new StarlarkModule(module, { exports, thread, options: threadOptions }).exports;
    } catch (error) {
      const failure = wrapHostError("load", error);
      throw new Failure(`cannot load ${module}: ${failure.message}`, failure.code, error);
    }
  }

  const { exports } = execute(thread, { file, text: source, dialect, predeclared });
  return new StarlarkModule(file, { exports, thread, options: threadOptions });
}

function convertNames(thread: Thread, names: Readonly<Record<string, unknown>>, bridge: FunctionBridge): Exports {
  return new Map(
    Object.entries(names).map(([name, value]): [string, Value] => {
      const named = typeof value === "function" ? rename(value, name) : value;
      return [encodeUtf8(name), fromHost(thread, named, bridge)];
    }),
  );
}

/** Functions get their name from `globals`, not from JavaScript. */
function rename(callable: object, name: string): unknown {
  const target = callable as (...args: unknown[]) => unknown;
  if (target.name === name) return target;
  const renamed = (...args: unknown[]): unknown => target(...args);
  Object.defineProperty(renamed, "name", { value: name });
  return renamed;
}
