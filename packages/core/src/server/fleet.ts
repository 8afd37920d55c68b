import type { Rate } from "../call/token-bucket.ts";

/** The processes that serve the same things from one store, on one or more machines. */
export interface Fleet {
  /** The id of this process. It gets another one if the others have given it up, for example after a long pause. */
  readonly processId: string;
  /** Whether a process still runs, by the clock of the store. */
  isRunning(processId: string): Promise<boolean>;
  /** Where a process is reached. Undefined if it no longer runs. */
  addressOf(processId: string): Promise<string | undefined>;
  /** Tells one other process, or all of them. It resolves when the message is stored; they receive it soon after. */
  send(message: FleetMessage): Promise<void>;
  /** Calls the listener with what other processes send about a topic. Returns a function that stops this. */
  receive(topic: string, listener: (data: unknown) => void): () => void;
  /** Called when the others have given this process up, with the id that it had. What it owned may be theirs now. */
  onReplaced(listener: (formerId: string) => void): void;
  /** Takes a token from a bucket that all processes share. Returns 0, or the milliseconds until one is available. */
  takeToken(key: string, rate: Rate): number | Promise<number>;
  /** Messages of event streams, for clients that resume one at another process. */
  readonly streamEvents: StreamEvents;
  /** Signs what processes send each other. */
  readonly key: string;
  /** True while the others believe that this process runs. What only one process may do is done only then. */
  readonly isTrusted: boolean;
}

export interface FleetMessage {
  readonly topic: string;
  /** JSON. */
  readonly data: unknown;
  /** The process that it is for (default: all others). */
  readonly to?: string;
}

export interface StreamEvents {
  /** Adds a message, or the end of the stream. */
  add(event: StreamEvent): Promise<void>;
  /** What came after a message of a stream, in order. */
  after(event: Omit<StreamEvent, "message">): Promise<readonly StreamEvent[]>;
  /** Deletes the messages of a session. */
  clear(session: string): Promise<void>;
}

export interface StreamEvent {
  readonly session: string;
  readonly stream: string;
  readonly sequence: number;
  /** Null: the stream ended. */
  readonly message: string | null;
}
