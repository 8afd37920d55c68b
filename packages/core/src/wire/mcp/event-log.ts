import { Shares } from "../../call/shares.ts";
import type { Share } from "../../call/shares.ts";
import type { SharedEvents } from "./shared-events.ts";

/** Bytes of events that sessions keep for clients that resume. */
export const eventBytes = new Shares("bytes of session events", { perCaller: 16 * 2 ** 20, total: 128 * 2 ** 20 });

/** The recent events of a session's streams, so that a client can resume after a lost connection. */
export class EventLog {
  readonly #share: Share;
  readonly #shared: SharedEvents | undefined;
  #events: { readonly id: string; readonly stream: string; readonly data: string }[] = [];
  #bytes = 0;
  #next = 1;

  /** The caller is charged for what is kept. With `shared`, clients can resume at other processes too. */
  constructor(caller: string | undefined, shared?: SharedEvents) {
    this.#share = eventBytes.open(caller);
    this.#shared = shared;
  }

  /** The whole id of a stream: other processes have streams of the same name. */
  streamId(name: string): string {
    return this.#shared ? `${name}-${this.#shared.fleet.processId}` : name;
  }

  /** Stores an event and returns its id. Drops the oldest events beyond the limits, and beyond the caller's share. */
  append(stream: string, data: string): string {
    const sequence = this.#next++;
    const id = `${stream}.${sequence}`;
    this.#shared?.add({ stream, sequence, message: data });
    this.#events.push({ id, stream, data });
    this.#bytes += sizeOf(data);
    while (this.#events.length > sessionEvents || this.#bytes > sessionEventBytes || this.#share.resize(this.#bytes))
      this.#bytes -= sizeOf(this.#events.shift()?.data ?? "");
    return id;
  }

  /** Says that nothing follows in a stream. */
  end(stream: string): void {
    this.#shared?.add({ stream, sequence: this.#next++, message: null });
  }

  clear(): void {
    this.#events = [];
    this.#bytes = 0;
    this.#share.release();
  }

  /** Later events of the same stream. */
  after(id: string): readonly { readonly id: string; readonly data: string }[] {
    const { stream, sequence: last } = readEventId(id);
    return this.#events.filter((event) => event.stream === stream && Number(event.id.slice(stream.length + 1)) > last);
  }
}

/** How far a client has read a stream. */
export interface EventPosition {
  readonly stream: string;
  readonly sequence: number;
}

export function readEventId(id: string): EventPosition {
  const stream = id.slice(0, Math.max(0, id.lastIndexOf(".")));
  return { stream, sequence: Number(id.slice(stream.length + 1)) };
}

/** The text, and what the event itself takes. */
function sizeOf(data: string): number {
  return data.length + 100;
}

export const sessionEvents = 256;
export const sessionEventBytes = 1024 * 1024;
