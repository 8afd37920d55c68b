import { ApiError } from "./api.ts";
import { sessionKeyHeader } from "./session-key.ts";
import { clearSession } from "./session.ts";

export interface EventReading {
  readonly signal: AbortSignal;
  readonly onOpen: () => void;
  readonly onEvent: (topic: string, data: unknown) => void;
}

/** Reads server-sent events until the stream ends. Unlike EventSource, it reports why a connection is refused. */
export async function readEvents(address: string, { signal, onOpen, onEvent }: EventReading): Promise<void> {
  const response = await fetch(address, { signal, headers: { ...sessionKeyHeader(), accept: "text/event-stream" } });
  if (response.status === 401) clearSession();
  if (!response.ok || !response.body) throw new ApiError(response.status, "EVENTS", "Live events are not available.");
  onOpen();
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    rest += value;
    const blocks = rest.split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) readBlock(block, onEvent);
  }
}

function readBlock(block: string, onEvent: EventReading["onEvent"]): void {
  let topic = "message";
  let data = "";
  for (const line of block.split("\n")) {
    if (line.startsWith("event:")) topic = line.slice(6).trim();
    else if (line.startsWith("data:")) data += line.slice(5);
  }
  if (data !== "") onEvent(topic, JSON.parse(data));
}
