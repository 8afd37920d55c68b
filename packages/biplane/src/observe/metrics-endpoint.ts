import type { IncomingMessage, ServerResponse } from "node:http";
import { asBiplaneError, isLoopback, refuseMethod, sendError, sendJson } from "@biplane/core/internal";
import type { MetricsEndpoint } from "@biplane/core/internal";
import { BiplaneError } from "@biplane/core";
import type { Principal } from "@biplane/core";
import { exposition, expositionType } from "./exposition.ts";
import type { Family } from "./exposition.ts";
import type { Metrics } from "./metrics.ts";

/**
 * `GET /metrics`, for `serve({ metrics: metricsEndpoint(metrics) })`. Tokens need the scope `metrics`. Anonymous
 * callers must be on this machine and not behind a proxy.
 */
export function metricsEndpoint(metrics: Metrics): MetricsEndpoint {
  let last: { readonly at: number; readonly families: Promise<Family[]> } | undefined;
  const families = () => {
    if (!last || performance.now() - last.at > freshMs) last = { at: performance.now(), families: metrics.families() };
    return last.families;
  };
  return {
    gauge: (name, read) => metrics.gauge(name, read),
    watch: (...shares) => metrics.watch(...shares),
    handle: (request, response, principal) => void answer({ families, request, response, principal }),
  };
}

/** Many requests in a moment get the same metrics, which take some milliseconds to read. */
const freshMs = 100;

interface MetricsRequest {
  readonly families: () => Promise<Family[]>;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly principal: Principal;
}

async function answer({ families: read, request, response, principal }: MetricsRequest): Promise<void> {
  if (request.method !== "GET" && request.method !== "HEAD") {
    return refuseMethod(response, "GET, HEAD");
  }
  if (!mayRead(principal, request)) {
    const message = "Metrics are only available on this machine and for tokens with the scope metrics.";
    return sendError(response, new BiplaneError("FORBIDDEN", message));
  }
  try {
    const families = await read();
    if (wantsJson(request)) return sendJson(response, 200, JSON.stringify({ metrics: families }));
    const body = exposition(families);
    response.writeHead(200, { "content-type": expositionType, "content-length": Buffer.byteLength(body) }).end(body);
  } catch (error) {
    sendError(response, asBiplaneError(error, "INTERNAL"));
  }
}

function mayRead({ kind, id, scopes }: Principal, { headers }: IncomingMessage): boolean {
  if (kind === "token") return scopes.includes("metrics");
  if (kind !== "anonymous") return true;
  const isProxied = ["forwarded", "x-forwarded-for", "x-real-ip", "via"].some((name) => headers[name] !== undefined);
  return !isProxied && isLoopback(id.replace(/^::ffff:/i, ""));
}

function wantsJson({ url = "", headers }: IncomingMessage): boolean {
  const format = new URLSearchParams(url.split("?")[1]).get("format");
  return format === "json" || (format === null && (headers.accept?.startsWith("application/json") ?? false));
}
