import { call } from "../runtime/call.ts";
import { crossBoundary, getRunningThread } from "../runtime/boundary.ts";
import { Failure } from "../runtime/failure.ts";
import type { Thread } from "../runtime/thread.ts";
import { encodeUtf8, decodeUtf8 } from "../utf8.ts";
import { Builtin, type BuiltinCall, type StarlarkFunction } from "../values/callable.ts";
import type { Value } from "../values/value.ts";
import { StarlarkError } from "../errors.ts";
import { fromHost, toHost, type FunctionBridge } from "./convert.ts";

/** Converts functions to functions. Converting back returns the original one. */
export function inThreadBridge(openThread: () => Thread): FunctionBridge {
  const bridge: FunctionBridge = {
    toHost: (callable) => {
      const known = hostFunctions.get(callable);
      if (known) return known;
      const hostFunction = (...args: unknown[]): unknown => {
        const thread = getRunningThread() ?? openThread();
        return crossBoundary(thread, () => {
          const positional = args.map((argument) => fromHost(thread, argument, bridge));
          return toHost(call(thread, callable, positional), bridge);
        });
      };
      Object.defineProperty(hostFunction, "name", { value: decodeUtf8(callable.name) });
      remember(callable, hostFunction);
      return hostFunction;
    },
    fromHost: (callable) => {
      const known = starlarkFunctions.get(callable);
      if (known) return known;
      const builtin = new Builtin(encodeUtf8(callable.name || "anonymous"), (builtinCall) => {
        return callHost(callable as (...args: unknown[]) => unknown, builtinCall, bridge);
      });
      remember(builtin, callable);
      return builtin;
    },
  };
  return bridge;
}

/** The arguments of a host function: positional ones in order, then keyword arguments as one last object. */
function hostArguments({ positional, named }: BuiltinCall, bridge: FunctionBridge): unknown[] {
  const args = positional.map((value) => toHost(value, bridge));
  if (named.length === 0) return args;
  return [...args, Object.fromEntries(named.map(([name, value]) => [decodeUtf8(name), toHost(value, bridge)]))];
}

/** Wraps errors of host functions, to add the Starlark call stack. */
export function wrapHostError(name: string, error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (error instanceof StarlarkError) {
    return new Failure(encodeUtf8(error.reason), error.code, error);
  }
  const reason = error instanceof Error ? error.message : String(error);
  return new Failure(`${name}: ${encodeUtf8(reason)}`, "host", error);
}

const hostFunctions = new WeakMap<object, (...args: never[]) => unknown>();
const starlarkFunctions = new WeakMap<object, StarlarkFunction | Builtin>();

function remember(callable: StarlarkFunction | Builtin, hostFunction: (...args: never[]) => unknown): void {
  hostFunctions.set(callable, hostFunction);
  starlarkFunctions.set(hostFunction, callable);
}

function callHost(callable: (...args: unknown[]) => unknown, call: BuiltinCall, bridge: FunctionBridge): Value {
  try {
    const result = callable(...hostArguments(call, bridge));
    if (result instanceof Promise) {
      result.catch(() => undefined);
      throw new Error("returned a promise; asynchronous host functions need a pool");
    }
    return fromHost(call.thread, result, bridge);
  } catch (error) {
    throw wrapHostError(call.name, error);
  }
}
