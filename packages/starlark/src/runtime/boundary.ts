import { StarlarkError, type StackFrame } from "../errors.ts";
import { decodeUtf8 } from "../utf8.ts";
import { Failure } from "./failure.ts";
import type { Thread } from "./thread.ts";

/**
 * Runs Starlark code on behalf of the host. Failures become `StarlarkError`s with location and call stack. The thread
 * is restored, so that it can be used for another call.
 */
export function crossBoundary<Result>(thread: Thread, run: () => Result): Result {
  const { top, callDepth, nativeFrames } = thread;
  const builtin = top?.builtin;
  const outerThread = runningThread;
  runningThread = thread;
  try {
    return run();
  } catch (error) {
    const described = describe(thread, error);
    for (let frame = thread.top; frame && frame !== top; frame = frame.caller) frame.callee.code.activeCalls--;
    thread.top = top;
    thread.callDepth = callDepth;
    thread.nativeFrames = nativeFrames;
    if (top) top.builtin = builtin;
    throw described;
  } finally {
    runningThread = outerThread;
  }
}

/** The thread that is calling the host, if any. Callbacks from the host run in it and count towards its limits. */
export function getRunningThread(): Thread | undefined {
  return runningThread;
}

let runningThread: Thread | undefined;

function describe(thread: Thread, error: unknown): StarlarkError {
  if (error instanceof StarlarkError) return error;
  const failure = error instanceof Failure ? error : fromNativeError(error);
  const frames: StackFrame[] = [];
  for (let frame = thread.top; frame; frame = frame.caller) {
    if (frame.builtin !== undefined) frames.push({ name: decodeUtf8(frame.builtin) });
    const { code } = frame.callee;
    frames.push({ name: decodeUtf8(code.name), location: code.module.source.locate(frame.at) });
  }
  const location = frames.find((frame) => frame.location)?.location;
  const { source } = thread.top?.callee.code.module ?? {};
  return new StarlarkError(failure.code, decodeUtf8(failure.message), {
    location,
    excerpt: location && source?.excerpt(location),
    frames: frames.reverse(),
    cause: failure.cause,
  });
}

/** Errors of JavaScript's own limits. Normally the limits of the program apply first. */
function fromNativeError(error: unknown): Failure {
  if (error instanceof RangeError) {
    const isStack = error.message.includes("call stack");
    return new Failure(isStack ? "Starlark stack overflow" : `value too large: ${error.message}`, "limit", error);
  }
  return new Failure(`internal error: ${error instanceof Error ? error.message : String(error)}`, "evaluation", error);
}
