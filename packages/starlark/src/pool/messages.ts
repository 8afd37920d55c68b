import type { MessagePort } from "node:worker_threads";
import type { StarlarkErrorCode, StarlarkErrorDetails } from "../errors.ts";
import type { Limits } from "../runtime/limits.ts";
import type { Dialect } from "../syntax/dialect.ts";
import type { LibraryName } from "../library/library.ts";
import type { EvaluatedCall, Evaluation, EvaluationBounds, FileResult } from "./evaluation.ts";
import type { Wire } from "./wire.ts";

/** What a worker is started with. */
export interface WorkerSetup {
  /** A counter that grows with every reply; the worker sleeps until it changes. */
  readonly replyCount: SharedArrayBuffer;
  readonly replies: MessagePort;
}

interface Program {
  readonly source: string;
  readonly file: string;
  readonly dialect: Dialect | undefined;
  readonly limits: Limits;
  readonly library: readonly LibraryName[];
}

/** A program for a worker to run. Its names are Starlark strings, its other texts host strings. */
export interface RunJob extends Program {
  readonly kind: "run";
  readonly globals: readonly (readonly [name: string, value: Wire])[];
  readonly canLoad: boolean;
  readonly call: { name: string; positional: Wire[]; named: (readonly [name: string, value: Wire])[] } | undefined;
}

/** A program whose values stay in the worker. All texts are host strings. */
export interface EvaluateJob extends Program {
  readonly kind: "evaluate";
  /** The functions of the host by number. A name with a point belongs to a module, such as `time.now`. */
  readonly functions: readonly string[];
  readonly state: Uint8Array | undefined;
  readonly call: EvaluatedCall | undefined;
  readonly fileResult: FileResult;
  readonly bounds: EvaluationBounds;
}

/** Finds the static errors of a program, without running it. */
export interface CheckJob extends Program {
  readonly kind: "check";
  readonly names: readonly string[];
}

export type Job = RunJob | EvaluateJob | CheckJob;

/** Messages from a worker. After a question it sleeps until the reply arrives. */
export type FromWorker =
  /** The job begins to compute. */
  | { readonly kind: "begun" }
  | WorkerQuestion
  | { readonly kind: "print"; readonly text: string }
  | { readonly kind: "done"; readonly globals: [string, Wire][]; readonly result: Wire; readonly steps: number }
  | ({ readonly kind: "evaluated" } & Evaluation)
  | { readonly kind: "checked" }
  | { readonly kind: "failed"; readonly error: WireError };

export type WorkerQuestion =
  | { readonly kind: "call"; readonly id: number; readonly positional: Wire[]; readonly named: [string, Wire][] }
  | { readonly kind: "load"; readonly module: string }
  /** A call of an evaluated program. The arguments are JSON text: a list, keyword arguments as one last object. */
  | { readonly kind: "ask"; readonly id: number; readonly json: string };

export type Reply =
  | { readonly kind: "data"; readonly data: unknown }
  | { readonly kind: "value"; readonly value: Wire }
  | { readonly kind: "names"; readonly names: (readonly [string, Wire])[] }
  | { readonly kind: "source"; readonly text: string }
  /** Index of the error, which stays with the host. */
  | { readonly kind: "error"; readonly reason: string; readonly code: StarlarkErrorCode; readonly errorIndex: number };

export interface WireError {
  readonly code: StarlarkErrorCode;
  readonly reason: string;
  readonly details: Omit<StarlarkErrorDetails, "cause">;
  /** Index of the host error that caused it. */
  readonly errorIndex: number | undefined;
}
