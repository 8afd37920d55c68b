import type { SpokenEvent } from "../simulated-user.ts";
import type { HomeNetwork } from "./home-network.ts";
import type { RecordChanges } from "./records.ts";
import type { RequiredFact } from "./support-task.ts";
import type { IdentityChecks } from "./support-tool.ts";
import type { CustomerRecord } from "./tables.ts";

/** An episode: plain data. */
export interface SupportState {
  readonly taskId: string;
  /** The account holder, as the database has it at the start. */
  readonly caller: CustomerRecord;
  readonly changes: RecordChanges;
  readonly home: HomeNetwork;
  readonly checks: IdentityChecks;
  /** What both sides said and called, in order. */
  readonly events: SpokenEvent[];
  /** How many later requests the scripted customer has made, and how often in a row nothing was asked. */
  readonly memory: { raised: number; idle: number };
  /** Whether the customer's last answer to a proposal was a yes. */
  hasAgreed: boolean;
  hasLeft: boolean;
  readonly violations: PolicyViolation[];
  errors: number;
  end: ContactEnd | undefined;
  grade: SupportGrade | undefined;
}

export interface ContactEnd {
  readonly reason: "closed" | "transferred" | "max_steps" | "too_many_errors" | "user_error" | "evaluator_error";
  readonly detail?: string;
}

/** A forbidden action: the rule of the policy, and what was done. */
export interface PolicyViolation {
  readonly rule: "identity" | "privacy" | "agreement" | "limit" | "fault" | "task";
  readonly detail: string;
}

/** The result of a contact, with every part. */
export interface SupportGrade {
  /** 1 if every part is 1, else 0. */
  readonly reward: number;
  readonly parts: Readonly<Record<"database" | "service" | "communication" | "policy", number>>;
  readonly database: { readonly hash: string; readonly expected_hash: string };
  /** What differs from the initial database, and what should. */
  readonly changes: Readonly<Record<string, unknown[]>>;
  readonly expected_changes: Readonly<Record<string, unknown[]>>;
  /** Each fact that the agent must say, and whether it did. */
  readonly told: readonly { readonly fact: RequiredFact; readonly said: boolean }[];
  readonly violations: readonly PolicyViolation[];
}
