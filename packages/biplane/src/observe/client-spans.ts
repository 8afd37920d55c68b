import type { Attributes, Context, Span } from "@opentelemetry/api";
import type { Interceptor, OutgoingCall } from "@biplane/core/client";
import { rpcErrorOf } from "@biplane/core/internal";
import { BiplaneError } from "@biplane/core";
import { loadOpenTelemetry, operationDurations } from "./open-telemetry.ts";
import type { OpenTelemetry } from "./open-telemetry.ts";

/**
 * Creates a span for every request of a client, below the active span, and passes it on to the server:
 * `connect(url, { intercept: [await traceRequests()] })`. `mount` takes the same option, so that the spans of a mounted
 * server are below those of the call.
 */
export async function traceRequests(options: { readonly api?: OpenTelemetry } = {}): Promise<Interceptor> {
  const api = options.api ?? (await loadOpenTelemetry());
  const tracer = api.trace.getTracer("biplane");
  const record = operationDurations(api, "client");
  return async (call, next) => {
    const { name, attributes, request } = describe(call);
    const parent = api.context.active();
    const span = tracer.startSpan(
      name,
      { kind: api.SpanKind.CLIENT, attributes: { ...attributes, ...request } },
      parent,
    );
    const startedAt = performance.now();
    let failure: Attributes = {};
    try {
      const meta = { ...call.options.meta, ...traceOf(api, span, parent) };
      const result = await next({ ...call, options: { ...call.options, meta } });
      if (result["isError"] === true) failure = { "error.type": "tool_error" };
      return result;
    } catch (error) {
      failure = failureOf(error);
      throw error;
    } finally {
      record(performance.now() - startedAt, { ...attributes, ...failure });
      span.setAttributes(failure);
      // Error messages may quote the input.
      if (failure["error.type"] !== undefined) span.setStatus({ code: api.SpanStatusCode.ERROR });
      span.end();
    }
  };
}

function describe({ method, params }: OutgoingCall): { name: string; attributes: Attributes; request: Attributes } {
  const { name, uri } = params;
  const isCall = method === "tools/call";
  const target = (isCall || method === "prompts/get") && typeof name === "string" ? name : undefined;
  const attributes = {
    "mcp.method.name": method,
    ...(isCall && { "gen_ai.operation.name": "execute_tool" }),
    ...(target !== undefined && { [isCall ? "gen_ai.tool.name" : "gen_ai.prompt.name"]: target }),
  };
  const request = typeof uri === "string" ? { "mcp.resource.uri": uri.slice(0, 512) } : {};
  return { name: target === undefined ? method : `${method} ${target}`, attributes, request };
}

/** The trace context for the server, in the `_meta` of the request. */
function traceOf(api: OpenTelemetry, span: Span, parent: Context): Record<string, string> {
  const { traceId, spanId, traceFlags, traceState } = span.spanContext();
  if (!api.isSpanContextValid(span.spanContext())) return {};
  const state = (traceState ?? api.trace.getSpanContext(parent)?.traceState)?.serialize();
  const flags = (traceFlags & 1).toString().padStart(2, "0");
  return { traceparent: `00-${traceId}-${spanId}-${flags}`, ...(state && { tracestate: state }) };
}

function failureOf(error: unknown): Attributes {
  const { code } = rpcErrorOf(error) ?? {};
  if (code !== undefined) return { "error.type": String(code), "rpc.response.status_code": String(code) };
  return { "error.type": error instanceof BiplaneError ? error.code : "_OTHER" };
}
