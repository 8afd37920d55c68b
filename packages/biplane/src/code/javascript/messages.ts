import type { CodeLimits } from "../engine.ts";
import type { Base, ContextImage } from "./base.ts";
import type { Printed } from "../output.ts";
import type { GuestProgress } from "./guest.ts";
import type { GuestResult } from "./guest-result.ts";
import type { Toolset } from "./toolset.ts";

/** Messages to a worker. It runs one action at a time. */
export type JavascriptWorkerRequest =
  | { readonly kind: "bindings"; readonly id: number; readonly base: Base; readonly toolset: Toolset }
  | { readonly kind: "start"; readonly job: WorkerJob; readonly code: string }
  | { readonly kind: "resume"; readonly job: WorkerJob; readonly progress: SavedProgress; readonly replies: Replies }
  | { readonly kind: "replies"; readonly replies: Replies }
  /** Save the waiting action and free the worker. */
  | { readonly kind: "park" }
  /** Discard the action and its machine. */
  | { readonly kind: "abandon" }
  | { readonly kind: "forget"; readonly contexts: readonly number[] };

export type Replies = readonly (readonly [id: number, reply: string])[];

/** One action for a worker. The image is omitted if the worker still holds the context's machine. */
export interface WorkerJob {
  /** The action's number. Messages about an earlier action are ignored. */
  readonly action: number;
  readonly context: number;
  readonly bindings: number;
  readonly limits: CodeLimits;
  readonly image: ContextImage | undefined;
  readonly hasMachine: boolean;
}

/** The progress of a parked action outside the machine's memory. */
export type SavedProgress = Readonly<Omit<GuestProgress, "limits" | "output">> & { readonly output: Printed };

export type JavascriptWorkerMessage =
  | { readonly kind: "ready"; readonly thread: number | undefined }
  | ({ readonly action: number } & ActionEvent);

/** Calls that the code has made, in order. */
export type MadeCalls = readonly (readonly [id: number, tool: string, input: string])[];

export type ActionEvent =
  /** The code has made calls and computes on. */
  | { readonly kind: "calls"; readonly calls: MadeCalls }
  /** The code waits for replies, also to its last calls. `handled` counts the messages that made it compute. */
  | {
      readonly kind: "waiting";
      readonly calls: MadeCalls;
      readonly handled: number;
      readonly cpuMs: number;
      readonly output: Printed | undefined;
    }
  | { readonly kind: "parked"; readonly image: ContextImage; readonly progress: SavedProgress }
  | {
      readonly kind: "over";
      readonly result: GuestResult;
      readonly image: ContextImage | undefined;
      readonly bytes: number;
    };
