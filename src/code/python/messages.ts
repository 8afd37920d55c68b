import type { MessagePort } from "node:worker_threads";
import type { Image, MemoryImage } from "./image.ts";

/** What a worker is started with. */
export interface WorkerSetup {
  readonly answers: MessagePort;
  /** One number that goes up with every answer, so that the worker can sleep until it does. */
  readonly answerCount: SharedArrayBuffer;
}

export type ToWorker =
  /** Makes a module for a memory of this size, and the image where there is none yet. */
  | { readonly kind: "prepare"; readonly file: string; readonly memoryBytes: number; readonly withImage: boolean }
  /** Makes an interpreter, in the place of the one before if there was one. */
  | { readonly kind: "start"; readonly image: Image; readonly scratchBytes: number }
  | { readonly kind: "open"; readonly order: string; readonly opening: Opening }
  | { readonly kind: "act"; readonly order: string };

export interface Opening {
  readonly output: SharedArrayBuffer;
  readonly seed: number | undefined;
  /** What the context begins with instead of the image. */
  readonly saved: SavedState | undefined;
  readonly isSaving: boolean;
  readonly callBytes: number;
}

/** A context at rest: the pages of memory that are not those of the image, and its scratch files. */
export interface SavedState {
  readonly pages: Uint8Array;
  readonly files: Uint8Array;
}

export type FromWorker =
  | { readonly kind: "prepared"; readonly module: WebAssembly.Module; readonly image: PreparedImage | undefined }
  | { readonly kind: "started" }
  | { readonly kind: "failed"; readonly message: string }
  /** The guest says something and the worker sleeps until it has the answer. */
  | { readonly kind: "asked"; readonly text: string; readonly guestMs: number }
  | { readonly kind: "done"; readonly ending: Ending }
  /** After `done`: the worker can take the next message, and this is what it has saved. */
  | { readonly kind: "rested"; readonly saved: SavedState | undefined };

export type PreparedImage = MemoryImage & { readonly fingerprint: string };

/** How the guest came to rest: with an answer, or in a way after which it cannot go on. */
export type Ending =
  | { readonly kind: "answered"; readonly text: string }
  | { readonly kind: "exited" | "overflowed" | "broken" };
