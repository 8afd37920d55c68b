import type { Params } from "../protocol/rpc.ts";
import type { CatalogChange } from "../server/catalog.ts";
import type { RequestOptions } from "./options.ts";

/** An outgoing request, as interceptors see it. */
export interface OutgoingCall {
  readonly method: string;
  readonly params: Params;
  readonly options: RequestOptions;
  /** True for reads, lists and tools marked read-only or idempotent. May list the server's tools. */
  isRepeatable(): Promise<boolean>;
  /** Reports changes on the server that this request goes to. */
  readonly server: { onChange(listener: (change: CatalogChange) => void): Promise<() => void> };
}

export type CallResult = Params;

/** Middleware around a request. Call `next` to send it, or return a result without sending. */
export type Interceptor = (
  call: OutgoingCall,
  next: (call: OutgoingCall) => Promise<CallResult>,
) => Promise<CallResult>;

/** Wraps `send` in interceptors, the first outermost. */
export function intercepted(
  interceptors: readonly Interceptor[],
  send: (call: OutgoingCall) => Promise<CallResult>,
): (call: OutgoingCall) => Promise<CallResult> {
  return interceptors.reduceRight<typeof send>((next, interceptor) => (call) => interceptor(call, next), send);
}
