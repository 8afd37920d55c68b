import type { MessagePort } from "node:worker_threads";
import type { InterpreterImage, MemoryImage } from "./image.ts";

/** The data a worker starts with. */
export interface WorkerSetup {
  readonly answers: MessagePort;
  /** A counter that increases with every answer. The worker waits on it with `Atomics.wait`. */
  readonly answerCount: SharedArrayBuffer;
}

export type PythonWorkerRequest =
  /** Compile a module for this memory size, and create the image if requested. */
  | { readonly kind: "prepare"; readonly file: string; readonly memoryBytes: number; readonly withImage: boolean }
  /** Create an interpreter, which replaces the previous one. */
  | { readonly kind: "start"; readonly image: InterpreterImage; readonly scratchBytes: number }
  | { readonly kind: "open"; readonly message: string; readonly setup: ContextSetup }
  | { readonly kind: "act"; readonly message: string };

export interface ContextSetup {
  readonly output: SharedArrayBuffer;
  readonly seed: number | undefined;
  /** The state to start from instead of the image. */
  readonly saved: SavedState | undefined;
  readonly isSaving: boolean;
  readonly callBytes: number;
  /** The length of the longest answer that may leave the worker. */
  readonly answerLength: number;
}

/** A saved context: the memory pages that differ from the image, and its scratch files. */
export interface SavedState {
  readonly pages: Uint8Array;
  readonly files: Uint8Array;
}

export type PythonWorkerMessage =
  | { readonly kind: "prepared"; readonly module: WebAssembly.Module; readonly image: FingerprintedImage | undefined }
  | { readonly kind: "started"; readonly thread: number | undefined }
  | { readonly kind: "failed"; readonly message: string }
  /** A request of the guest. The worker blocks until it has the answer. */
  | { readonly kind: "asked"; readonly text: string; readonly guestMs: number }
  | { readonly kind: "done"; readonly ending: GuestEnding }
  /** After `done`: the worker is ready for the next message, and has saved this state. */
  | { readonly kind: "rested"; readonly saved: SavedState | undefined };

export type FingerprintedImage = MemoryImage & { readonly fingerprint: string };

/** How a run of the guest ended. Only `answered` leaves a usable guest. */
export type GuestEnding =
  | { readonly kind: "answered"; readonly text: string }
  | { readonly kind: "exited" | "overflowed" | "broken" };
