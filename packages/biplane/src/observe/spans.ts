import type { Context, Span, SpanAttributes, Tracer } from "@opentelemetry/api";
import { decodeUri, rpcCodeOf } from "@biplane/core/internal";
import type { LiveCall, Outcome } from "@biplane/core/internal";
import type { Begun, ErrorCode, Measured, Meter } from "@biplane/core";
import { loadOpenTelemetry, operationDurations } from "./open-telemetry.ts";
import type { OpenTelemetry, OperationDurations } from "./open-telemetry.ts";

export interface TraceOptions {
  /** Default: the program's own `@opentelemetry/api`. */
  readonly api?: OpenTelemetry;
  /** Forward the callers' `baggage` to services that tools call (default: false). */
  readonly baggage?: boolean;
}

/** Creates a span for every call: `server.measure(await traceWith())`. It continues the trace of the request. */
export async function traceWith(options: TraceOptions = {}): Promise<Meter> {
  return new Tracing(options.api ?? (await loadOpenTelemetry()), options.baggage ?? false);
}

class Tracing implements Meter {
  readonly #api: OpenTelemetry;
  readonly #forwardsBaggage: boolean;
  readonly #tracer: Tracer;
  readonly #durations: OperationDurations;
  /** Spans of running calls, for the calls that they make. */
  readonly #open = new WeakMap<LiveCall, { readonly span: Span; readonly context: Context }>();

  constructor(api: OpenTelemetry, forwardsBaggage: boolean) {
    this.#api = api;
    this.#forwardsBaggage = forwardsBaggage;
    this.#tracer = api.trace.getTracer("biplane");
    this.#durations = operationDurations(api, "server");
  }

  around(begun: Begun, perform: () => Outcome | Promise<Outcome>): Outcome | Promise<Outcome> {
    const context = this.#start(begun);
    return context ? this.#api.context.with(context, perform) : perform();
  }

  end({ call, tool, outcome, durationMs, waitedMs }: Measured): void {
    const failure = outcome.status === "failed" ? failureOf(call, outcome.error.code) : {};
    if (!call.request.parent)
      this.#durations(durationMs - waitedMs, { ...measuredAttributes(call, tool !== undefined), ...failure });
    const span = this.#open.get(call)?.span;
    if (!span) return;
    this.#open.delete(call);
    if (call.episode !== undefined) span.setAttribute("biplane.episode.id", call.episode);
    if (waitedMs > 0) span.setAttribute("biplane.waited_ms", Math.round(waitedMs));
    if (outcome.status === "failed") {
      // Error messages may quote the input. The audit log has them.
      span.setAttributes({ ...failure, "biplane.error.code": outcome.error.code });
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
  const { mcp } = call.request;
  const attributes: SpanAttributes = { ...measuredAttributes(call, isKnown), "biplane.route": call.route };
  if (call.session !== undefined) attributes["mcp.session.id"] = call.session;
  const clean = (text: string, length: number) => (call.redactor?.text(text) ?? text).slice(0, length);
  if (mcp) attributes["jsonrpc.request.id"] = clean(String(mcp.id), 128);
  const method = methodOf(call);
  const target = attributes["gen_ai.tool.name"] ?? attributes["gen_ai.prompt.name"];
  const uri = method === "resources/read" ? (call.request.input as { uri?: unknown }).uri : undefined;
  if (typeof uri === "string") attributes["mcp.resource.uri"] = clean(uri, 512);
  return { name: typeof target === "string" ? `${method} ${target}` : method, attributes };
}

function methodOf({ request, tool }: LiveCall): string {
  return request.builtIn === undefined ? "tools/call" : tool;
}

/** The attributes of metrics too: names that the server defines, and nothing of one request. */
function measuredAttributes(call: LiveCall, isKnown: boolean): SpanAttributes {
  const { builtIn, mcp, input } = call.request;
  const method = methodOf(call);
  const attributes: SpanAttributes = { "mcp.method.name": method };
  if (mcp) attributes["mcp.protocol.version"] = mcp.client.version;
  if (builtIn === undefined) attributes["gen_ai.operation.name"] = "execute_tool";
  if (builtIn === undefined && isKnown) attributes["gen_ai.tool.name"] = call.tool;
  // An unknown prompt is refused before it becomes a call.
  if (method === "prompts/get") attributes["gen_ai.prompt.name"] = String((input as { name?: unknown }).name);
  return attributes;
}

/** Over MCP, the code that the client sees, or `tool_error` for a result with `isError`. Elsewhere, our own code. */
function failureOf({ request }: LiveCall, code: ErrorCode): SpanAttributes {
  if (!request.mcp || code === "CANCELLED") return { "error.type": code };
  const rpc = rpcCodeOf(code);
  if (rpc !== undefined) return { "error.type": String(rpc), "rpc.response.status_code": String(rpc) };
  return { "error.type": "tool_error" };
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
      const decoded = key === undefined ? undefined : decodeUri(value);
      return key === undefined || decoded === undefined ? [] : [[key, { value: decoded }] as const];
    });
  return Object.fromEntries(entries);
}

const baggageForm =
  /^[ \t]*([!#$%&'*+.^_`|~\w-]+)[ \t]*=[ \t]*([\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*)[ \t]*(?:;|$)/;
