import { jsonCopy } from "./json-copy.ts";

/** A message, or a remark of the host. */
export interface LogEntry {
  readonly at: number;
  readonly from: "host" | "view" | "remark";
  /** The method of a request or notification; responses have none. */
  readonly method?: string | undefined;
  /** A copy of the message, or the reason why it is not included. */
  readonly message?: unknown;
  /** Why something was ignored, rejected or dropped. */
  readonly remark?: string | undefined;
}

/** The latest messages between host and app. Its size is bounded. */
export class MessageLog {
  readonly #now: () => number;
  readonly #onEntry: (entry: LogEntry) => void;
  readonly #entries: LogEntry[] = [];

  constructor(options: { now: () => number; onEntry: ((entry: LogEntry) => void) | undefined }) {
    this.#now = options.now;
    this.#onEntry = options.onEntry ?? (() => {});
  }

  get entries(): readonly LogEntry[] {
    return this.#entries;
  }

  message(from: "host" | "view", message: { readonly method?: string }): void {
    const read = jsonCopy(message, { characters: maxCharacters, depth: 100 });
    const kept = "copy" in read ? read.copy : read.why;
    this.#add({ at: this.#now(), from, method: message.method?.slice(0, 100), message: kept });
  }

  remark(remark: string): void {
    this.#add({ at: this.#now(), from: "remark", remark });
  }

  #add(entry: LogEntry): void {
    this.#entries.push(entry);
    if (this.#entries.length > maxEntries) this.#entries.splice(0, this.#entries.length - maxEntries);
    this.#onEntry(entry);
  }
}

const maxEntries = 500;
const maxCharacters = 16_384;
