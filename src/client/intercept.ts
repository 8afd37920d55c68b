import type { Params } from "../protocol/rpc.ts";
import type { Change } from "./change.ts";
import type { RequestOptions } from "./options.ts";

/** A request on its way out, as middleware sees it. */
export interface OutgoingCall {
  readonly method: string;
  readonly params: Params;
  readonly options: RequestOptions;
  /** Whether doing it twice does no harm: a read, a list, a tool marked so. May ask the server for its tools. */
  isRepeatable(): Promise<boolean>;
  /** Tells of changes on the server this request goes to. */
  readonly server: { onChange(listener: (change: Change) => void): Promise<() => void> };
}

export type CallResult = Params;

/** Middleware: does what it likes before and after `next`, or instead of it. */
export type Interceptor = (
  call: OutgoingCall,
  next: (call: OutgoingCall) => Promise<CallResult>,
) => Promise<CallResult>;

/** One interceptor within the other, the first outermost, with `send` at the heart. */
export function intercepted(
  interceptors: readonly Interceptor[],
  send: (call: OutgoingCall) => Promise<CallResult>,
): (call: OutgoingCall) => Promise<CallResult> {
  return interceptors.reduceRight<typeof send>((next, interceptor) => (call) => interceptor(call, next), send);
}
