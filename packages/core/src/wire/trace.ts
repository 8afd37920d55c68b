import type { CallTrace } from "../call/live-call.ts";

/** The W3C trace context in a request's `_meta` or headers. Not validated here; the span exporter does that. */
export function traceOf(bag: { readonly [key: string]: unknown }): CallTrace | undefined {
  const { traceparent } = bag;
  if (typeof traceparent !== "string") return undefined;
  return { traceparent, tracestate: text(bag["tracestate"]), baggage: text(bag["baggage"]) };
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
