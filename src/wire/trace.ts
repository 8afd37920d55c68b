import type { CallTrace } from "../call/live-call.ts";

/** The trace that a request says it is part of, from its `_meta` or its headers; whoever makes spans checks it. */
export function traceOf(bag: { readonly [key: string]: unknown }): CallTrace | undefined {
  const { traceparent } = bag;
  if (typeof traceparent !== "string") return undefined;
  return { traceparent, tracestate: text(bag["tracestate"]), baggage: text(bag["baggage"]) };
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
