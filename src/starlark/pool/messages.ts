import type { MessagePort } from "node:worker_threads";
import type { StarlarkErrorCode, StarlarkErrorDetails } from "../errors.ts";
import type { Limits } from "../runtime/limits.ts";
import type { Dialect } from "../syntax/dialect.ts";
import type { Wire } from "./wire.ts";

/** What a worker is started with. */
export interface WorkerSetup {
  /** One number that goes up with every reply, so that the worker can sleep until it does. */
  readonly replyCount: SharedArrayBuffer;
  readonly replies: MessagePort;
}

/** A program for a worker to run. Its names are Starlark strings, its other texts host strings. */
export interface Job {
  readonly source: string;
  readonly file: string;
  readonly dialect: Dialect | undefined;
  readonly limits: Limits;
  readonly globals: readonly (readonly [name: string, value: Wire])[];
  readonly canLoad: boolean;
  readonly call: { name: string; positional: Wire[]; named: (readonly [name: string, value: Wire])[] } | undefined;
}

/** What a worker says. After a question it sleeps until it has the reply. */
export type FromWorker =
  | { readonly kind: "call"; readonly id: number; readonly positional: Wire[]; readonly named: [string, Wire][] }
  | { readonly kind: "load"; readonly module: string }
  | { readonly kind: "print"; readonly line: string }
  | { readonly kind: "done"; readonly globals: [string, Wire][]; readonly result: Wire; readonly steps: number }
  | { readonly kind: "failed"; readonly error: WireError };

export type Reply =
  | { readonly kind: "value"; readonly value: Wire }
  | { readonly kind: "names"; readonly names: (readonly [string, Wire])[] }
  | { readonly kind: "source"; readonly text: string }
  /** The error itself stays with the host; the number finds it again. */
  | { readonly kind: "error"; readonly reason: string; readonly code: StarlarkErrorCode; readonly errorIndex: number };

export interface WireError {
  readonly code: StarlarkErrorCode;
  readonly reason: string;
  readonly details: Omit<StarlarkErrorDetails, "cause">;
  /** Which of the host's errors caused it, if one did. */
  readonly errorIndex: number | undefined;
}
