import { jsonCopy } from "./json-copy.ts";

/** A message that went by, or a remark of the host. */
export interface LogEntry {
  readonly at: number;
  readonly from: "host" | "view" | "remark";
  /** The method of a request or notification; answers have none. */
  readonly method?: string | undefined;
  /** A copy of the message, or why there is none: it was long. */
  readonly message?: unknown;
  /** What the host has to say: why something was ignored, refused, dropped. */
  readonly remark?: string | undefined;
}

/** The latest of what a host and an app said to each other. It never grows beyond its bounds, whatever an app sends. */
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
    const read = jsonCopy(message, { characters: longest, depth: 100 });
    const kept = "copy" in read ? read.copy : read.why;
    this.#add({ at: this.#now(), from, method: message.method?.slice(0, 100), message: kept });
  }

  remark(remark: string): void {
    this.#add({ at: this.#now(), from: "remark", remark });
  }

  #add(entry: LogEntry): void {
    this.#entries.push(entry);
    if (this.#entries.length > most) this.#entries.splice(0, this.#entries.length - most);
    this.#onEntry(entry);
  }
}

const most = 500;
const longest = 16_384;
