import type { IncomingMessage, ServerResponse } from "node:http";
import type { Principal } from "../tool/call.ts";

/** The people's doors, everything at `/api/…`. Whoever answers there sees to credentials himself. */
export interface PeopleDoors {
  answer(request: DoorRequest): Promise<DoorAnswer>;
}

/** A request for JSON, as far as an answer may depend on it. */
export interface DoorRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly address: string;
  /** What the Origin header of our own page says. */
  readonly origin: string;
  readonly body: unknown;
}

export interface DoorAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; left out, nothing is sent. */
  readonly body?: unknown;
  /** Bytes to send as they are, under a content type of their own. */
  readonly bytes?: Uint8Array;
  /** Server-sent events instead of all that: called once. What it returns is called when the reader has gone. */
  readonly events?: (line: EventLine) => () => void;
}

/** Where events go out. */
export interface EventLine {
  /** False where the reader is slow: what is not urgent should wait or be left out. */
  send(event: string, data: unknown): boolean;
  /** Ends the stream from our side. */
  end(): void;
}

/** The page for people, and what belongs to it: everything under `/` that is no other door's. */
export interface PageDoor {
  /** Undefined where there is no such file. `encodings` is the header in which a browser says what it can unpack. */
  answer(path: string, encodings?: string): DoorAnswer | undefined;
}

/** Where apps run: a page on host names of its own, on which nothing else answers. */
export interface SandboxDoor {
  /** Whether a request to this Host belongs here. */
  owns(host: string): boolean;
  answer(request: { readonly method: string; readonly host: string; readonly url: string }): DoorAnswer;
}

/** What answers at `/metrics`. It is closed to agents: their tokens do not open it. */
export interface MetricsDoor {
  answer(request: IncomingMessage, response: ServerResponse, principal: Principal): void;
  /** Takes a figure that is read when somebody looks, until the returned function is called. */
  gauge?(name: string, read: () => number | Promise<number>): () => void;
}

/** Something that must be well before requests are sent here: it throws or says false where it is not. */
export type ReadyCheck = () => boolean | void | Promise<boolean | void>;
