import type { CodeLimits, CodeResult } from "../engine.ts";
import type { Base, Image } from "./base.ts";
import type { Toolset } from "./toolset.ts";

/** What a worker is told. It works on one action at a time. */
export type ToWorker =
  | { readonly kind: "ground"; readonly ground: number; readonly base: Base; readonly toolset: Toolset }
  | { readonly kind: "start"; readonly place: Seat; readonly code: string }
  | { readonly kind: "resume"; readonly place: Seat; readonly progress: SavedProgress; readonly replies: Replies }
  | { readonly kind: "replies"; readonly replies: Replies }
  /** Lay the action aside while it waits. */
  | { readonly kind: "park" }
  /** Drop the action and its machine. */
  | { readonly kind: "abandon" }
  | { readonly kind: "forget"; readonly contexts: readonly number[] };

export type Replies = readonly (readonly [id: number, reply: string])[];

/** An action and its context, for a worker: with its image, unless the worker has its machine still. */
export interface Seat {
  /** Which action this is: what a worker says of another is no longer of interest. */
  readonly action: number;
  readonly context: number;
  readonly ground: number;
  readonly limits: CodeLimits;
  readonly image: Image | undefined;
  readonly isHere: boolean;
}

/** An action laid aside, apart from what lies in its machine's memory. */
export interface SavedProgress {
  readonly output: Printed;
  readonly calls: number;
  readonly open: number;
  readonly cpuMs: number;
  readonly reply: string | undefined;
}

export interface Printed {
  readonly stdout: string;
  readonly stderr: string;
  readonly isCut: boolean;
}

export type FromWorker = { readonly kind: "ready" } | ({ readonly action: number } & Said);

export type Said =
  | { readonly kind: "call"; readonly id: number; readonly tool: string; readonly input: string }
  /** All is done that could be; `heard` counts the messages that made it compute. */
  | { readonly kind: "waiting"; readonly heard: number; readonly cpuMs: number; readonly output: Printed | undefined }
  | { readonly kind: "parked"; readonly image: Image; readonly progress: SavedProgress }
  | { readonly kind: "over"; readonly result: CodeResult; readonly image: Image | undefined; readonly bytes: number };
