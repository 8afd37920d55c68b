import type { Tool } from "../tool/tool.ts";
import type { Approver } from "./approve.ts";
import type { AuditSink } from "./audit.ts";
import type { Hooks } from "./hooks.ts";
import type { Limits } from "./limits.ts";
import type { Meter } from "./meter.ts";
import type { Mode, Policy } from "./policy.ts";
import type { Redactor } from "./redact/redactor.ts";

/** What the path of a call needs of the server it runs through. */
export interface Body {
  readonly name: string;
  readonly mode: Mode;
  readonly policies: readonly Policy[];
  readonly hooks: readonly Hooks[];
  readonly meters: readonly Meter[];
  readonly limits: Limits | undefined;
  /** Takes secrets out of everything that leaves; asked for at each call, because secrets change. */
  readonly redactor: Redactor | undefined;
  readonly audit: AuditSink | undefined;
  readonly approver: Approver | undefined;
  find(name: string): Tool | undefined;
  /** Told of faults that must not fail a call, such as a hook that throws. */
  report(fault: unknown, where: string): void;
}
