import type { ServerResponse } from "node:http";
import type { Redactor } from "../call/redact/redactor.ts";
import type { EndpointResponse, EventWriter } from "../server/endpoints.ts";
import { maxUnsentBytes } from "../transport/unsent-limit.ts";
import { redactedJson } from "./redacted-json.ts";

/** Writes an endpoint's response: JSON, bytes, or server-sent events until the reader disconnects. */
export function sendResponse(response: ServerResponse, answer: EndpointResponse, redactor?: Redactor): void {
  if (response.headersSent || response.destroyed) return;
  const { status, headers, body, bytes, events } = answer;
  const common = { ...defaultHeaders, ...headers };
  if (events) return stream(response, events, { status, headers: common, redactor });
  const payload = bytes ?? Buffer.from(body === undefined ? "" : redactedJson(body, redactor));
  response.writeHead(status, {
    ...(body !== undefined && { "content-type": "application/json" }),
    "content-length": payload.byteLength,
    ...common,
  });
  response.end(payload);
}

/** Forbid framing, caching and content sniffing, unless the endpoint overrides a header. */
const defaultHeaders = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

function stream(
  response: ServerResponse,
  events: NonNullable<EndpointResponse["events"]>,
  head: { status: number; headers: Record<string, string>; redactor: Redactor | undefined },
): void {
  response.writeHead(head.status, { "content-type": "text/event-stream", ...head.headers });
  response.flushHeaders();
  const isOpen = () => !response.destroyed && !response.writableEnded;
  const writer: EventWriter = {
    send: (event, data) => {
      if (response.writableLength > maxUnsentBytes) response.destroy();
      return isOpen() && response.write(`event: ${event}\ndata: ${redactedJson(data, head.redactor)}\n\n`);
    },
    // A reader that has stopped reading would never reach the end of the stream.
    end: () => void (response.writableNeedDrain ? response.destroy() : response.end()),
  };
  const stop = events(writer);
  // Proxies close idle connections.
  const heartbeat = setInterval(() => isOpen() && response.write(":\n\n"), heartbeatMs);
  response.once("close", () => {
    clearInterval(heartbeat);
    stop();
  });
}

const heartbeatMs = 15_000;
