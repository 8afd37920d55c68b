import { BiplaneError } from "../errors.ts";
import { readEventStream } from "../transport/event-source.ts";
import { ChannelTransport } from "./channel-transport.ts";
import { httpExchange } from "./http-exchange.ts";
import type { HttpTransportOptions } from "./http-transport.ts";
import type { Transport, TransportListener } from "./transport.ts";

/**
 * The HTTP+SSE transport of MCP 2024-11-05: one event stream for all server messages, and a POST address in its first
 * event. Returns undefined if the server does not offer it.
 */
export async function openSseTransport(
  url: string,
  listener: TransportListener,
  options: HttpTransportOptions,
): Promise<Transport | undefined> {
  const closing = new AbortController();
  const { signal } = closing;
  const headers = { accept: "text/event-stream" };
  const response = await httpExchange(url, { method: "GET", headers, signal }, options);
  const isStream = response.ok && response.headers.get("content-type")?.includes("text/event-stream");
  if (!isStream || !response.body) {
    await response.body?.cancel();
    return undefined;
  }
  const events = readEventStream(response.body, { maxBytes: options.maxMessageBytes });
  const first = await events.next();
  if (first.done || first.value.event !== "endpoint") {
    closing.abort();
    return undefined;
  }
  const address = postAddress(url, first.value.data);
  const transport = new ChannelTransport(listener, url);
  const post = async (body: string) => {
    const init = { method: "POST", headers: { "content-type": "application/json" }, body, signal };
    const posted = await httpExchange(address, init, options);
    await posted.body?.cancel();
    if (!posted.ok) transport.onClose();
  };
  transport.attach({
    send: (message) => void post(String(message)).catch(() => transport.onClose()),
    close: () => closing.abort(),
  });
  void receive(events, transport);
  return transport;
}

async function receive(events: AsyncIterable<{ data: string }>, transport: ChannelTransport): Promise<void> {
  try {
    for await (const { data } of events) if (data !== "") transport.onMessage(data);
  } catch {
    // a stream that breaks off has ended
  }
  transport.onClose();
}

/** Rejects an address on another origin, which would receive the credentials. */
function postAddress(url: string, endpoint: string): string {
  const address = new URL(endpoint, url);
  if (address.origin === new URL(url).origin) return address.href;
  throw new BiplaneError(
    "EXECUTION_ERROR",
    `${url} asks for messages to be sent to another origin: ${address.origin}.`,
  );
}
