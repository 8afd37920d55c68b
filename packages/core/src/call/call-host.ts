import type { Tool } from "../tool/tool.ts";
import type { Approver } from "./approve.ts";
import type { AuditSink } from "./audit.ts";
import type { Hooks } from "./hooks.ts";
import type { KeptAnswers } from "./kept-answers.ts";
import type { Limits } from "./limits.ts";
import type { LiveCall } from "./live-call.ts";
import type { Meter } from "./meter.ts";
import type { Mode, Policy } from "./policy.ts";
import type { Redactor } from "./redact/redactor.ts";
import type { Scope } from "./scope.ts";

/** What the call pipeline needs from the server. */
export interface CallHost {
  readonly name: string;
  readonly mode: Mode;
  readonly policies: readonly Policy[];
  readonly hooks: readonly Hooks[];
  readonly meters: readonly Meter[];
  readonly limits: Limits | undefined;
  /** Secrets can change while the server runs. */
  readonly redactor: Redactor | undefined;
  readonly audit: AuditSink | undefined;
  readonly approver: Approver | undefined;
  /** Answers to calls with a key, outside of episodes. */
  readonly answers: KeptAnswers;
  find(name: string): Tool | undefined;
  /** The caller's episode, if the tool comes from a mounted environment. */
  episodeFor?(tool: Tool, call: LiveCall): Scope | Promise<Scope> | undefined;
  /** Receives faults that must not fail a call, such as a hook that throws. */
  report(fault: unknown, where: string): void;
}
