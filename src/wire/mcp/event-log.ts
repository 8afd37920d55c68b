/** What a session's streams have carried, so that a client that lost one can pick it up where it broke off. */
export class EventLog {
  #events: { readonly id: string; readonly stream: string; readonly data: string }[] = [];
  #bytes = 0;
  #next = 1;

  /** Keeps an event and gives it an id. The oldest go when there are too many. */
  append(stream: string, data: string): string {
    const id = `${stream}.${this.#next++}`;
    this.#events.push({ id, stream, data });
    this.#bytes += data.length;
    while (this.#events.length > maxEvents || this.#bytes > maxBytes)
      this.#bytes -= this.#events.shift()?.data.length ?? 0;
    return id;
  }

  /** The stream an event id belongs to. */
  streamOf(id: string): string {
    return id.slice(0, Math.max(0, id.lastIndexOf(".")));
  }

  /** The events of that stream that came after `id`. */
  after(id: string): readonly { readonly id: string; readonly data: string }[] {
    const stream = this.streamOf(id);
    const last = Number(id.slice(stream.length + 1));
    return this.#events.filter((event) => event.stream === stream && Number(event.id.slice(stream.length + 1)) > last);
  }
}

const maxEvents = 256;
const maxBytes = 1024 * 1024;
