import type * as OpenTelemetryApi from "@opentelemetry/api";
import type { Context, Span, SpanAttributes, Tracer } from "@opentelemetry/api";
import type { LiveCall, Outcome } from "@biplane/core/internal";
import type { Begun, Measured, Meter } from "@biplane/core";
import { BiplaneError } from "@biplane/core";

/** The module `@opentelemetry/api`, in any copy. */
export type OpenTelemetry = typeof OpenTelemetryApi;

export interface TraceOptions {
  /** Default: the program's own `@opentelemetry/api`. */
  readonly api?: OpenTelemetry;
  /** Forward the callers' `baggage` to services that tools call (default: false). */
  readonly baggage?: boolean;
}

/** Creates a span for every call: `server.measure(await traceWith())`. It continues the trace of the request. */
export async function traceWith(options: TraceOptions = {}): Promise<Meter> {
  return new Tracing(options.api ?? (await load()), options.baggage ?? false);
}

class Tracing implements Meter {
  readonly #api: OpenTelemetry;
  readonly #forwardsBaggage: boolean;
  readonly #tracer: Tracer;
  /** Spans of running calls, for the calls that they make. */
  readonly #open = new WeakMap<LiveCall, { readonly span: Span; readonly context: Context }>();

  constructor(api: OpenTelemetry, forwardsBaggage: boolean) {
    this.#api = api;
    this.#forwardsBaggage = forwardsBaggage;
    this.#tracer = api.trace.getTracer("biplane");
  }

  around(begun: Begun, perform: () => Outcome | Promise<Outcome>): Outcome | Promise<Outcome> {
    const context = this.#start(begun);
    return context ? this.#api.context.with(context, perform) : perform();
  }

  end({ call, outcome, waitedMs }: Measured): void {
    const span = this.#open.get(call)?.span;
    if (!span) return;
    this.#open.delete(call);
    if (call.episode !== undefined) span.setAttribute("biplane.episode.id", call.episode);
    if (waitedMs > 0) span.setAttribute("biplane.waited_ms", Math.round(waitedMs));
    if (outcome.status === "failed") {
      // Error messages may quote the input. The audit log has them.
      span.setAttribute("error.type", outcome.error.code);
      span.setStatus({ code: this.#api.SpanStatusCode.ERROR });
    } else if (outcome.status === "suspended") span.setAttribute("biplane.outcome", "suspended");
    span.end();
  }

  /** A tracing fault must not fail the call, which continues without a span. */
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

  /** The calling call, or else the trace of the request, linked to the span that serves the request. */
  #parentOf(call: LiveCall): { parent: Context; linked?: ReturnType<Span["spanContext"]> | undefined } {
    const { context, trace } = this.#api;
    const active = context.active();
    const outer = call.request.parent && this.#open.get(call.request.parent);
    if (outer) return { parent: outer.context };
    const remote = this.#remote(call, active);
    if (!remote) return { parent: active };
    const around = trace.getSpanContext(active);
    // Trace headers belong to HTTP: if HTTP is already traced, its span is the nearer parent.
    const isContinued = around?.traceId === trace.getSpanContext(remote)?.traceId && call.route !== "mcp";
    return isContinued ? { parent: active } : { parent: remote, linked: around };
  }

  #remote(call: LiveCall, active: Context): Context | undefined {
    const { createTraceState, propagation, trace } = this.#api;
    const { trace: carrier } = call.request;
    const named = carrier && readTraceparent(carrier.traceparent);
    if (!carrier || !named) return undefined;
    const { traceId, spanId, flags: traceFlags } = named;
    const state = carrier.tracestate === undefined ? {} : { traceState: createTraceState(carrier.tracestate) };
    const context = trace.setSpanContext(active, { traceId, spanId, traceFlags, isRemote: true, ...state });
    if (!this.#forwardsBaggage || carrier.baggage === undefined) return context;
    return propagation.setBaggage(context, propagation.createBaggage(readBaggage(carrier.baggage)));
  }
}

/** Names and attributes follow OpenTelemetry's conventions for MCP. Unknown tool names appear in neither. */
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
    throw new BiplaneError("NOT_SUPPORTED", "Tracing needs @opentelemetry/api. Install it next to biplane.", {
      cause: error,
    });
  }
}

/** The parent span in a `traceparent` header. */
interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  readonly flags: number;
}

/** Parses a W3C `traceparent` strictly; undefined if it is invalid. Later versions may append fields. */
function readTraceparent(header: string): TraceParent | undefined {
  if (header.length > 256) return undefined;
  const [, version, traceId = "", spanId = "", flags = "", more] = traceparentForm.exec(header) ?? [];
  if (version === undefined || version === "ff" || (version === "00" && more !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  // Pass on only the sampled flag: unknown flags must not be propagated.
  return { traceId, spanId, flags: Number.parseInt(flags, 16) & 1 };
}

const traceparentForm = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-[\x21-\x7e]*)?$/;

/** Parses W3C `baggage` without properties. Malformed entries are dropped, and so is a header that is too long. */
function readBaggage(header: string): Record<string, { value: string }> {
  if (header.length > 8192) return {};
  const entries = header
    .split(",")
    .slice(0, 64)
    .flatMap((member) => {
      const [, key, value = ""] = baggageForm.exec(member) ?? [];
      const decoded = key === undefined ? undefined : decode(value);
      return key === undefined || decoded === undefined ? [] : [[key, { value: decoded }] as const];
    });
  return Object.fromEntries(entries);
}

const baggageForm =
  /^[ \t]*([!#$%&'*+.^_`|~\w-]+)[ \t]*=[ \t]*([\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*)[ \t]*(?:;|$)/;

function decode(value: string): string | undefined {
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined;
  }
}
