import type { Approver } from "../call/approve.ts";
import type { AuditSink } from "../call/audit.ts";
import type { Hooks } from "../call/hooks.ts";
import type { LimitOptions } from "../call/limits.ts";
import type { Meter } from "../call/meter.ts";
import type { Mode, Policy } from "../call/policy.ts";
import type { SecretSource } from "../call/redaction.ts";
import type { Store } from "../store/store.ts";
import type { Icon, Tool } from "../tool/tool.ts";
import type { DisclosureOptions } from "./disclosure.ts";
import type { Pack } from "./pack.ts";
import type { Prompt } from "./prompt.ts";
import type { Resource } from "./resource.ts";

/** What a server is, and what is decided about it. */
export interface ServerOptions {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
  /** What the server is for; hosts may show it to their model. */
  readonly description?: string;
  readonly icons?: readonly Icon[];
  readonly websiteUrl?: string;
  /** A list of named tools, or an object whose keys are the names. */
  readonly tools?: readonly Tool[] | Readonly<Record<string, Tool>>;
  readonly resources?: readonly Resource[];
  readonly prompts?: readonly Prompt[];
  /** Sets of tools that belong together. */
  readonly packs?: readonly Pack[];
  /** For very many tools: list only a few, and three more to find and call the rest with. */
  readonly disclose?: DisclosureOptions;
  readonly policies?: readonly Policy[];
  readonly hooks?: readonly Hooks[];
  /** What counts and times calls: metrics, spans. */
  readonly meters?: readonly Meter[];
  readonly mode?: Mode;
  /** How often and how much at once. Left out: 10 calls a second for each caller on the network; false for no limits. */
  readonly limits?: LimitOptions | false;
  /** Answers where a policy asks. Left out: the answer is no. */
  readonly approver?: Approver;
  /** Keeps a line of every call and every refusal. */
  readonly audit?: AuditSink;
  /** What must never leave: secrets by name, or a source of them that may change. */
  readonly secrets?: Readonly<Record<string, string>> | SecretSource;
  /** Where tasks live. Left out: SQLite in memory, opened when first needed. */
  readonly store?: Store;
  /** Told of faults that must not fail a call. Left out: a line on standard error. */
  readonly onFault?: (fault: unknown, where: string) => void;
}

/** What an operator decides about a server. */
export type Governance = Pick<
  ServerOptions,
  "policies" | "hooks" | "meters" | "mode" | "limits" | "approver" | "audit" | "secrets" | "store" | "onFault"
>;
