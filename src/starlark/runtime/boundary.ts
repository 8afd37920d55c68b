import { StarlarkError, type StackFrame } from "../errors.ts";
import { decodeUtf8 } from "../utf8.ts";
import { Failure } from "./failure.ts";
import type { Frame } from "./frame.ts";
import type { Thread } from "./thread.ts";

/**
 * The way from the host into Starlark. Whatever fails inside comes out as a `StarlarkError` with its place and call
 * stack, and the thread is left as it was found, ready for another call.
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

/** The thread that called the host, if the host is being called: what calls back belongs to it and to its limits. */
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
    frames.push(describeFrame(frame));
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

function describeFrame(frame: Frame): StackFrame {
  const { code } = frame.callee;
  return { name: decodeUtf8(code.name), location: code.module.source.locate(frame.at) };
}

/** The limits are meant to act first; these are what JavaScript itself says when one of its own is reached. */
function fromNativeError(error: unknown): Failure {
  if (error instanceof RangeError) {
    const isStack = error.message.includes("call stack");
    return new Failure(isStack ? "Starlark stack overflow" : `value too large: ${error.message}`, "limit", error);
  }
  return new Failure(`internal error: ${error instanceof Error ? error.message : String(error)}`, "evaluation", error);
}
