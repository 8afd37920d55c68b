import type { ServerResponse } from "node:http";
import type { DoorAnswer, EventLine } from "../server/doors.ts";

/** Writes what a door answers: JSON, bytes as they are, or events for as long as somebody reads. */
export function sendAnswer(response: ServerResponse, answer: DoorAnswer): void {
  if (response.headersSent || response.destroyed) return;
  const { status, headers, body, bytes, events } = answer;
  const common = { ...guards, ...headers };
  if (events) return stream(response, events, { status, headers: common });
  const payload = bytes ?? Buffer.from(body === undefined ? "" : JSON.stringify(body));
  response.writeHead(status, {
    ...(body !== undefined && { "content-type": "application/json" }),
    "content-length": payload.byteLength,
    ...common,
  });
  response.end(payload);
}

/** Whatever comes back may be neither framed nor kept nor read as something else, unless the door says so itself. */
const guards = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

function stream(
  response: ServerResponse,
  events: NonNullable<DoorAnswer["events"]>,
  head: { status: number; headers: Record<string, string> },
): void {
  response.writeHead(head.status, { "content-type": "text/event-stream", ...head.headers });
  response.flushHeaders();
  const isOpen = () => !response.destroyed && !response.writableEnded;
  const line: EventLine = {
    send: (event, data) => isOpen() && response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`),
    // One who takes nothing would never come to the end of what is written.
    end: () => void (response.writableNeedDrain ? response.destroy() : response.end()),
  };
  const stop = events(line);
  // Those in between us and the reader close what says nothing.
  const heartbeat = setInterval(() => isOpen() && response.write(":\n\n"), heartbeatMs);
  response.once("close", () => {
    clearInterval(heartbeat);
    stop();
  });
}

const heartbeatMs = 15_000;
