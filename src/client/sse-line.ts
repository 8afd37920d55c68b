import { BiplaneError } from "../errors.ts";
import { readEvents } from "../transport/event-source.ts";
import { ChannelLine } from "./channel-line.ts";
import { httpExchange } from "./http-exchange.ts";
import type { HttpLineOptions } from "./http-line.ts";
import type { Line, LineListener } from "./line.ts";

/**
 * A line to a server of 2024: one stream of events for all that it says, which begins with the address to post to.
 * Undefined where the address is not one of those either.
 */
export async function openSseLine(
  url: string,
  listener: LineListener,
  options: HttpLineOptions,
): Promise<Line | undefined> {
  const closing = new AbortController();
  const { signal } = closing;
  const headers = { accept: "text/event-stream" };
  const response = await httpExchange(url, { method: "GET", headers, signal }, options);
  const isStream = response.ok && response.headers.get("content-type")?.includes("text/event-stream");
  if (!isStream || !response.body) {
    await response.body?.cancel();
    return undefined;
  }
  const events = readEvents(response.body, { maxBytes: options.maxMessageBytes });
  const first = await events.next();
  if (first.done || first.value.event !== "endpoint") {
    closing.abort();
    return undefined;
  }
  const address = postAddress(url, first.value.data);
  const line = new ChannelLine(listener, url);
  const post = async (body: string) => {
    const init = { method: "POST", headers: { "content-type": "application/json" }, body, signal };
    const answer = await httpExchange(address, init, options);
    await answer.body?.cancel();
    if (!answer.ok) line.onClose();
  };
  line.attach({
    send: (message) => void post(String(message)).catch(() => line.onClose()),
    close: () => closing.abort(),
  });
  void hear(events, line);
  return line;
}

async function hear(events: AsyncIterable<{ data: string }>, line: ChannelLine): Promise<void> {
  try {
    for await (const { data } of events) if (data !== "") line.onMessage(data);
  } catch {
    // it broke off, which is an end like any other
  }
  line.onClose();
}

/** Credentials go where they were meant to go, wherever the server would like to have its messages sent. */
function postAddress(url: string, said: string): string {
  const address = new URL(said, url);
  if (address.origin === new URL(url).origin) return address.href;
  throw new BiplaneError("EXECUTION_ERROR", `${url} wants messages sent to ${address.origin}, which is somebody else`);
}
