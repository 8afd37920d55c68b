import type * as OpenTelemetryApi from "@opentelemetry/api";
import type { Context, Span, SpanAttributes, Tracer } from "@opentelemetry/api";
import type { LiveCall } from "../call/live-call.ts";
import type { Begun, Measured, Meter } from "../call/meter.ts";
import type { Outcome } from "../call/outcome.ts";
import { BiplaneError } from "../errors.ts";
import { readBaggage, readTraceparent } from "./trace-context.ts";

/** The module `@opentelemetry/api`, whichever copy of it the program has. */
export type OpenTelemetry = typeof OpenTelemetryApi;

export interface TraceOptions {
  /** Left out: the program's own `@opentelemetry/api`, loaded now. */
  readonly api?: OpenTelemetry;
  /** Whether what callers send as `baggage` goes on to the services that tools call. Left out: it does not. */
  readonly baggage?: boolean;
}

/** A span for every call: `server.measure(await traceWith())`. It continues the trace that the request names. */
export async function traceWith(options: TraceOptions = {}): Promise<Meter> {
  return new Tracing(options.api ?? (await load()), options.baggage ?? false);
}

class Tracing implements Meter {
  readonly #api: OpenTelemetry;
  readonly #takesBaggage: boolean;
  readonly #tracer: Tracer;
  /** Where calls stand that are under way, to be found by those they make. */
  readonly #open = new WeakMap<LiveCall, { readonly span: Span; readonly context: Context }>();

  constructor(api: OpenTelemetry, takesBaggage: boolean) {
    this.#api = api;
    this.#takesBaggage = takesBaggage;
    this.#tracer = api.trace.getTracer("biplane");
  }

  around(begun: Begun, perform: () => Outcome | Promise<Outcome>): Outcome | Promise<Outcome> {
    const context = this.#start(begun);
    return context ? this.#api.context.with(context, perform) : perform();
  }

  end({ call, outcome }: Measured): void {
    const span = this.#open.get(call)?.span;
    if (!span) return;
    this.#open.delete(call);
    if (call.episode !== undefined) span.setAttribute("biplane.episode.id", call.episode);
    if (outcome.status === "failed") {
      // What an error says may quote the input; the audit log has it.
      span.setAttribute("error.type", outcome.error.code);
      span.setStatus({ code: this.#api.SpanStatusCode.ERROR });
    } else if (outcome.status === "suspended") span.setAttribute("biplane.outcome", "suspended");
    span.end();
  }

  /** Tracing that breaks must not break the call: it goes on without a span. */
  #start({ call, tool }: Begun): Context | undefined {
    try {
      const { SpanKind, trace } = this.#api;
      const { parent, linked } = this.#parentOf(call);
      const kind = call.request.parent ? SpanKind.INTERNAL : SpanKind.SERVER;
      const links = linked ? [{ context: linked }] : [];
      const { name, attributes } = describe(call, tool !== undefined);
      const span = this.#tracer.startSpan(name, { kind, attributes, links }, parent);
      const context = trace.setSpan(parent, span);
      this.#open.set(call, { span, context });
      return context;
    } catch {
      return undefined;
    }
  }

  /** The call that makes this one; else the trace that the request names, linked to what serves the request. */
  #parentOf(call: LiveCall): { parent: Context; linked?: ReturnType<Span["spanContext"]> | undefined } {
    const { context, trace } = this.#api;
    const active = context.active();
    const outer = call.request.parent && this.#open.get(call.request.parent);
    if (outer) return { parent: outer.context };
    const remote = this.#remote(call, active);
    if (!remote) return { parent: active };
    const around = trace.getSpanContext(active);
    // Headers belong to HTTP: where something traces that already, its span is the nearer parent.
    const isContinued = around?.traceId === trace.getSpanContext(remote)?.traceId && call.route !== "mcp";
    return isContinued ? { parent: active } : { parent: remote, linked: around };
  }

  #remote(call: LiveCall, active: Context): Context | undefined {
    const { createTraceState, propagation, trace } = this.#api;
    const { trace: said } = call.request;
    const named = said && readTraceparent(said.traceparent);
    if (!said || !named) return undefined;
    const { traceId, spanId, flags: traceFlags } = named;
    const state = said.tracestate === undefined ? {} : { traceState: createTraceState(said.tracestate) };
    const context = trace.setSpanContext(active, { traceId, spanId, traceFlags, isRemote: true, ...state });
    if (!this.#takesBaggage || said.baggage === undefined) return context;
    return propagation.setBaggage(context, propagation.createBaggage(readBaggage(said.baggage)));
  }
}

/** Names and attributes as OpenTelemetry has them for MCP. A name that the caller made up is in neither. */
function describe(call: LiveCall, isKnown: boolean): { name: string; attributes: SpanAttributes } {
  const isReader = call.request.builtIn !== undefined;
  const method = isReader ? call.tool : "tools/call";
  const attributes: SpanAttributes = { "mcp.method.name": method, "biplane.route": call.route };
  if (call.session !== undefined) attributes["mcp.session.id"] = call.session;
  if (isReader) return { name: method, attributes };
  attributes["gen_ai.operation.name"] = "execute_tool";
  if (!isKnown) return { name: method, attributes };
  attributes["gen_ai.tool.name"] = call.tool;
  return { name: `${method} ${call.tool}`, attributes };
}

async function load(): Promise<OpenTelemetry> {
  try {
    return await import("@opentelemetry/api");
  } catch (error) {
    throw new BiplaneError("NOT_SUPPORTED", "Tracing needs @opentelemetry/api; install it beside biplane", {
      cause: error,
    });
  }
}
