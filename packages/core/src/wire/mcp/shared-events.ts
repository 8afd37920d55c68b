import { Shares } from "../../call/shares.ts";
import type { ResponseWriter } from "../../transport/http-message.ts";
import type { Fleet, StreamEvent } from "../../server/fleet.ts";
import type { EventPosition } from "./event-log.ts";
import { EventStream } from "../../transport/event-stream.ts";

/** The events of a session's streams where every process of a fleet finds them. */
export class SharedEvents {
  readonly fleet: Fleet;
  readonly #session: string;
  readonly #report: (fault: unknown) => void;

  constructor(fleet: Fleet, { session, report }: { session: string; report: (fault: unknown) => void }) {
    this.fleet = fleet;
    this.#session = session;
    this.#report = report;
  }

  add(event: Omit<StreamEvent, "session">): void {
    this.fleet.streamEvents.add({ session: this.#session, ...event }).catch(this.#report);
  }

  clear(): void {
    this.fleet.streamEvents.clear(this.#session).catch(this.#report);
  }

  after(position: EventPosition): Promise<readonly StreamEvent[]> {
    return this.fleet.streamEvents.after({ session: this.#session, ...position });
  }

  /** Follows a stream of another process from an event on, until it ends, that process dies or the client leaves. */
  async follow(response: ResponseWriter, { stream, sequence }: EventPosition): Promise<void> {
    const events = new EventStream(response);
    const producer = stream.slice(stream.indexOf("-") + 1);
    let last = sequence;
    while (events.isOpen) {
      // Asked before reading, so that everything it wrote before it died is read.
      const isRunning = await this.fleet.isRunning(producer);
      for (const event of await this.after({ stream, sequence: last })) {
        if (event.message === null) return events.end();
        events.send(event.message, { id: `${stream}.${event.sequence}` });
        last = event.sequence;
      }
      if (!isRunning) return events.end();
      await new Promise((resolve) => setTimeout(resolve, followEveryMs));
    }
  }
}

/** Streams of other processes that clients follow. Each reads from the store five times a second. */
export const followedStreams = new Shares("followed streams", { perCaller: 16, total: 1024 });

const followEveryMs = 200;
