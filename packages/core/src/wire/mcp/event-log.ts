import { Shares } from "../../call/shares.ts";
import type { Share } from "../../call/shares.ts";

/** Bytes of events that sessions keep for clients that resume. */
export const eventBytes = new Shares("bytes of session events", { perCaller: 16 * 2 ** 20, total: 128 * 2 ** 20 });

/** The recent events of a session's streams, so that a client can resume after a lost connection. */
export class EventLog {
  readonly #share: Share;
  #events: { readonly id: string; readonly stream: string; readonly data: string }[] = [];
  #bytes = 0;
  #next = 1;

  /** The caller is charged for what is kept. */
  constructor(caller: string | undefined) {
    this.#share = eventBytes.open(caller);
  }

  /** Stores an event and returns its id. Drops the oldest events beyond the limits, and beyond the caller's share. */
  append(stream: string, data: string): string {
    const id = `${stream}.${this.#next++}`;
    this.#events.push({ id, stream, data });
    this.#bytes += sizeOf(data);
    while (this.#events.length > sessionEvents || this.#bytes > sessionEventBytes || this.#share.resize(this.#bytes))
      this.#bytes -= sizeOf(this.#events.shift()?.data ?? "");
    return id;
  }

  clear(): void {
    this.#events = [];
    this.#bytes = 0;
    this.#share.release();
  }

  streamOf(id: string): string {
    return id.slice(0, Math.max(0, id.lastIndexOf(".")));
  }

  /** Later events of the same stream. */
  after(id: string): readonly { readonly id: string; readonly data: string }[] {
    const stream = this.streamOf(id);
    const last = Number(id.slice(stream.length + 1));
    return this.#events.filter((event) => event.stream === stream && Number(event.id.slice(stream.length + 1)) > last);
  }
}

/** The text, and what the event itself takes. */
function sizeOf(data: string): number {
  return data.length + 100;
}

export const sessionEvents = 256;
export const sessionEventBytes = 1024 * 1024;
