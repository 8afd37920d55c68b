import { StarlarkError } from "../errors.ts";
import { fromHost, type FunctionBridge } from "../host/convert.ts";
import { execute } from "../host/execute.ts";
import { libraryOf } from "../library/library.ts";
import { writeJson } from "../library/write-json.ts";
import { crossBoundary } from "../runtime/boundary.ts";
import { call } from "../runtime/call.ts";
import { Failure } from "../runtime/failure.ts";
import { Thread } from "../runtime/thread.ts";
import { decodeUtf8, encodeUtf8 } from "../utf8.ts";
import { Builtin, StarlarkFunction, type BuiltinCall, type NamedArguments } from "../values/callable.ts";
import { Dict } from "../values/dict.ts";
import { freeze } from "../values/freeze.ts";
import { namespaceOf } from "../values/namespace.ts";
import { Tuple } from "../values/tuple.ts";
import type { Value } from "../values/value.ts";
import { BatchedPrint } from "./batched-print.ts";
import { checkReply, type HostLine } from "./host-line.ts";
import type { EvaluateJob, FromWorker } from "./messages.ts";
import { decodeState, encodeState } from "./state.ts";

/** Runs a program whose values stay here. What leaves is text within the job's bounds. */
export function evaluateJob(job: EvaluateJob, line: HostLine): FromWorker {
  const { bounds, dialect, file, limits, state } = job;
  const printed = new BatchedPrint(bounds.printBytes, line.print);
  const thread = new Thread({ limits, print: (text) => printed.add(decodeUtf8(text)) });
  const ask = (id: number, builtinCall: BuiltinCall): Value => {
    printed.flush();
    return askHost(id, builtinCall, { job, line });
  };
  try {
    const kept = state && decodeState(state);
    const predeclared = new Map([...libraryOf(job.library), ...hostFunctions(job.functions, ask)]);
    const { exports, value } = execute(thread, { file, text: job.source, dialect, predeclared, ...(kept && { kept }) });
    freeze(exports.values());
    const called = job.call && callExport(thread, exports, job);
    return crossBoundary(thread, () => {
      const result = called ? called.result : job.fileResult === "value" ? value : exportsOf(thread, exports);
      const { text, isCut } = writeJson(thread, result, { maxBytes: bounds.resultBytes, isForDisplay: true });
      const globals = encodeState(thread, dataOf(kept, exports), bounds.stateBytes);
      return { kind: "evaluated", json: text, isCut, state: globals, steps: thread.steps };
    });
  } finally {
    printed.flush();
  }
}

/** A function of the host is a built-in that asks the host for its result. */
function hostFunctions(names: readonly string[], ask: (id: number, call: BuiltinCall) => Value): Map<string, Value> {
  const functions = new Map<string, Value>();
  const modules = new Map<string, Map<string, Value>>();
  for (const [id, name] of names.entries()) {
    const builtin = new Builtin(encodeUtf8(name), (builtinCall) => ask(id, builtinCall));
    const [first = "", second] = name.split(".", 2).map(encodeUtf8);
    if (second === undefined) functions.set(first, builtin);
    else modules.set(first, (modules.get(first) ?? new Map<string, Value>()).set(second, builtin));
  }
  for (const [name, members] of modules) functions.set(name, namespaceOf(name, members));
  return functions;
}

function askHost(
  id: number,
  { thread, name, positional, named }: BuiltinCall,
  { job, line }: { job: EvaluateJob; line: HostLine },
): Value {
  const { callBytes, callParts, callDepth } = job.bounds;
  const args = named.length === 0 ? positional : [...positional, namedDict(thread, named)];
  const options = { maxBytes: callBytes, maxParts: callParts, maxDepth: callDepth, isForDisplay: true };
  const { text, isCut } = writeJson(thread, new Tuple(args), options);
  if (isCut) {
    const most = `${callBytes} bytes or ${callParts} values`;
    throw new Failure(`${name}: the arguments are larger than ${most}`, "conversion");
  }
  const reply = checkReply(line.ask({ kind: "ask", id, json: text }));
  return reply.kind === "data" ? fromHost(thread, reply.data, withoutFunctions) : null;
}

function namedDict(thread: Thread, named: NamedArguments): Dict {
  const dict = new Dict();
  for (const [name, value] of named) dict.table.set(thread, name, value);
  return dict;
}

const withoutFunctions: FunctionBridge = {
  toHost: () => null,
  fromHost: () => {
    throw new StarlarkError("conversion", "a function cannot be sent to an evaluated program");
  },
};

function callExport(
  thread: Thread,
  exports: ReadonlyMap<string, Value>,
  { call: wanted, file }: EvaluateJob,
): { result: Value } | undefined {
  const { name = "", args = [], named = {}, isOptional = false } = wanted ?? {};
  const callee = exports.get(encodeUtf8(name));
  if (!(callee instanceof StarlarkFunction || callee instanceof Builtin)) {
    if (!isOptional)
      throw new StarlarkError("call", callee === undefined ? missing(name) : `"${name}" is not a function`);
    if (args.length > 0) throw new StarlarkError("call", `${file} has no ${name}() that could take arguments`);
    return undefined;
  }
  return crossBoundary(thread, () => {
    const positional = args.map((value) => fromHost(thread, value, withoutFunctions));
    const keywords = Object.entries(named).map(([key, value]) => {
      return [encodeUtf8(key), fromHost(thread, value, withoutFunctions)] as const;
    });
    return { result: call(thread, callee, positional, keywords) };
  });
}

function missing(name: string): string {
  return `function "${name}" not found`;
}

function exportsOf(thread: Thread, exports: ReadonlyMap<string, Value>): Value {
  const result = exports.get("result");
  if (result !== undefined) return result;
  const constants = new Dict();
  for (const [name, value] of exports) if (/^[A-Z]/.test(name)) constants.table.set(thread, name, value);
  return constants.table.size === 0 ? null : constants;
}

/** The data among the globals. A function takes the place of what had its name before. */
function dataOf(kept: ReadonlyMap<string, Value> | undefined, exports: ReadonlyMap<string, Value>): Map<string, Value> {
  const all = new Map([...(kept ?? []), ...exports]);
  for (const [name, value] of exports) {
    if (value instanceof StarlarkFunction || value instanceof Builtin) all.delete(name);
  }
  return all;
}
