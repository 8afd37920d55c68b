import type { IncomingMessage, ServerResponse } from "node:http";
import { messageOf } from "../errors.ts";
import type { MetricsDoor } from "../server/doors.ts";
import type { Principal } from "../tool/call.ts";
import { isLoopback } from "../transport/guard.ts";
import { sendJson } from "../transport/http.ts";
import { exposition, expositionType } from "./exposition.ts";
import type { Metrics } from "./metrics.ts";

/**
 * `GET /metrics`, for `serve({ metrics: metricsDoor(metrics) })`. Tokens need the scope `metrics`. Where nobody proves
 * who he is, only this machine may look, and what a proxy on it passes on counts as coming from elsewhere.
 */
export function metricsDoor(metrics: Metrics): MetricsDoor {
  return {
    gauge: (name, read) => metrics.gauge(name, read),
    answer: (request, response, principal) => void answer(metrics, request, response, principal),
  };
}

async function answer(
  metrics: Metrics,
  request: IncomingMessage,
  response: ServerResponse,
  principal: Principal,
): Promise<void> {
  if (request.method !== "GET" && request.method !== "HEAD") {
    return void response.writeHead(405, { allow: "GET, HEAD" }).end();
  }
  if (!mayLook(principal, request)) {
    const message = "Metrics are for this machine, and for tokens with the scope metrics";
    return sendJson(response, 403, JSON.stringify({ error: "FORBIDDEN", message }));
  }
  try {
    const families = await metrics.families();
    if (wantsJson(request)) return sendJson(response, 200, JSON.stringify({ metrics: families }));
    const body = exposition(families);
    response.writeHead(200, { "content-type": expositionType, "content-length": Buffer.byteLength(body) }).end(body);
  } catch (error) {
    sendJson(response, 500, JSON.stringify({ error: "INTERNAL", message: messageOf(error) }));
  }
}

function mayLook({ kind, id, scopes }: Principal, { headers }: IncomingMessage): boolean {
  if (kind === "token") return scopes.includes("metrics");
  if (kind !== "anonymous") return true;
  const isPassedOn = ["forwarded", "x-forwarded-for", "x-real-ip", "via"].some((name) => headers[name] !== undefined);
  return !isPassedOn && isLoopback(id.replace(/^::ffff:/i, ""));
}

function wantsJson({ url = "", headers }: IncomingMessage): boolean {
  const format = new URLSearchParams(url.split("?")[1]).get("format");
  return format === "json" || (format === null && (headers.accept?.startsWith("application/json") ?? false));
}
