import { StarlarkError } from "../errors.ts";
import { execute } from "../host/execute.ts";
import { createLoader, type Exports } from "../host/loader.ts";
import { libraryOf } from "../library/library.ts";
import { crossBoundary } from "../runtime/boundary.ts";
import { call } from "../runtime/call.ts";
import { Failure } from "../runtime/failure.ts";
import { Thread } from "../runtime/thread.ts";
import { decodeUtf8, encodeUtf8 } from "../utf8.ts";
import { Builtin, type BuiltinCall } from "../values/callable.ts";
import { freeze } from "../values/freeze.ts";
import type { HostObject } from "../values/host-object.ts";
import { namespaceOf } from "../values/namespace.ts";
import type { Value } from "../values/value.ts";
import type { TaggedItem } from "./codec.ts";
import { checkReply, type HostLine } from "./host-line.ts";
import type { FromWorker, RunJob } from "./messages.ts";
import { decodeWire, encodeWire, maxMessageBytes, type Wire, type WireFunctions } from "./wire.ts";

/** Runs a job: the file, then the function to call if there is one. */
export function executeJob(job: RunJob, line: HostLine): FromWorker {
  const thread: Thread = new Thread({
    limits: job.limits,
    print: (text) => line.print(decodeUtf8(text)),
    load: job.canLoad ? createLoader(loadModule) : undefined,
  });
  const functions = workerFunctions(thread, line);
  const decodeNames = (names: readonly (readonly [string, Wire])[]): Exports => {
    return new Map(names.map(([name, value]) => [name, decodeWire(thread, value, functions)]));
  };
  const predeclared = new Map([...libraryOf(job.library), ...decodeNames(job.globals)]);

  function loadModule(module: string): Exports {
    try {
      const reply = checkReply(line.ask({ kind: "load", module: decodeUtf8(module) }));
      if (reply.kind !== "source") return decodeNames(reply.kind === "names" ? reply.names : []);
      const program = { file: decodeUtf8(module), text: reply.text, dialect: job.dialect, predeclared };
      const { exports } = execute(thread, program);
      freeze(exports.values());
      return exports;
    } catch (error) {
      if (!(error instanceof Failure) && !(error instanceof StarlarkError)) throw error;
      const reason = error instanceof StarlarkError ? encodeUtf8(error.reason) : error.message;
      throw new Failure(`cannot load ${module}: ${reason}`, error.code, error);
    }
  }

  const { exports } = execute(thread, { file: job.file, text: job.source, dialect: job.dialect, predeclared });
  freeze(exports.values());
  const result = job.call ? callExport(thread, exports, { job, functions }) : null;
  functions.budget.left = maxMessageBytes;
  return {
    kind: "done",
    globals: Array.from(exports, ([name, value]): [string, Wire] => [name, encodeWire(value, functions)]),
    result: encodeWire(result, functions),
    steps: thread.steps,
  };
}

function callExport(
  thread: Thread,
  exports: Exports,
  { job, functions }: { job: RunJob; functions: WireFunctions },
): Value {
  const { name, positional, named } = job.call ?? { name: "", positional: [], named: [] };
  const callee = exports.get(name);
  if (callee === undefined) throw new StarlarkError("evaluation", `${job.file} has no global ${decodeUtf8(name)}`);
  return crossBoundary(thread, () => {
    return call(
      thread,
      callee,
      positional.map((wire) => decodeWire(thread, wire, functions)),
      named.map(([key, wire]) => [key, decodeWire(thread, wire, functions)] as const),
    );
  });
}

type WorkerFunctions = WireFunctions & Required<Pick<WireFunctions, "budget">>;

/** In a worker, a host function is a built-in that asks the host for its result. */
function workerFunctions(thread: Thread, line: HostLine): WorkerFunctions {
  const hostIds = new WeakMap<object, TaggedItem>();
  const functions: WorkerFunctions = {
    budget: { left: maxMessageBytes },
    encodeFunction: (callable) => hostIds.get(callable) ?? ["starlark function", callable.name],
    encodeObject: () => {
      throw new StarlarkError("conversion", "cannot send a namespace to the host");
    },
    decode: (item) => {
      const [tag, first, second] = item;
      if (tag === "namespace") return decodeNamespace(thread, item, functions);
      const builtin = new Builtin(second as string, (builtinCall) =>
        askHost(Number(first), builtinCall, { line, functions }),
      );
      hostIds.set(builtin, item);
      return builtin;
    },
  };
  return functions;
}

/** The parts are the name of the namespace, then the name and value of each member. */
function decodeNamespace(thread: Thread, [, name, ...parts]: TaggedItem, functions: WireFunctions): HostObject {
  const members = parts as readonly (readonly [string, Wire])[];
  const decoded = members.map(([member, wire]) => [member, decodeWire(thread, wire, functions)] as const);
  return namespaceOf(name as string, new Map(decoded));
}

function askHost(
  id: number,
  builtinCall: BuiltinCall,
  { line, functions }: { line: HostLine; functions: WorkerFunctions },
): Value {
  const { thread, positional, named } = builtinCall;
  functions.budget.left = maxMessageBytes;
  const reply = checkReply(
    line.ask({
      kind: "call",
      id,
      positional: positional.map((value) => encodeWire(value, functions)),
      named: named.map(([name, value]) => [name, encodeWire(value, functions)]),
    }),
  );
  return reply.kind === "value" ? decodeWire(thread, reply.value, functions) : null;
}
