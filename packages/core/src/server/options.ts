import type { Approver } from "../call/approve.ts";
import type { AuditSink } from "../call/audit.ts";
import type { Hooks } from "../call/hooks.ts";
import type { LimitOptions } from "../call/limits.ts";
import type { Meter } from "../call/meter.ts";
import type { Mode, Policy } from "../call/policy.ts";
import type { SecretSource } from "../call/redaction.ts";
import type { Store } from "../store/store.ts";
import type { OptionNames } from "../tool/check-options.ts";
import type { Icon } from "../tool/icon.ts";
import type { Tool } from "../tool/tool.ts";
import type { DisclosureOptions } from "./disclosure.ts";
import type { Fleet } from "./fleet.ts";
import type { Pack } from "./pack.ts";
import type { Prompt } from "./prompt.ts";
import type { Resource } from "./resource.ts";
import type { Skill } from "./skill.ts";

/** Options of `server`. */
export interface ServerOptions {
  readonly name: string;
  /** What clients are shown (default: "0.0.0"). */
  readonly version?: string;
  readonly title?: string;
  /** What the server is for. Hosts may show it to their model. */
  readonly description?: string;
  readonly icons?: readonly Icon[];
  readonly websiteUrl?: string;
  /** A list of named tools, or an object whose keys are the names. */
  readonly tools?: readonly Tool[] | Readonly<Record<string, Tool>>;
  readonly resources?: readonly Resource[];
  readonly prompts?: readonly Prompt[];
  /** Instructions and files that clients load when their model needs them. */
  readonly skills?: readonly Skill[];
  /** Sets of tools that belong together. */
  readonly packs?: readonly Pack[];
  /** For very many tools: lists only a few, plus three tools to find and call the rest. */
  readonly disclose?: DisclosureOptions;
  readonly policies?: readonly Policy[];
  readonly hooks?: readonly Hooks[];
  /** Count and time calls, for metrics and spans. */
  readonly meters?: readonly Meter[];
  readonly mode?: Mode;
  /** Rate and concurrency limits (default: none). */
  readonly limits?: LimitOptions | false;
  /** Decides calls for which a policy returns `ask` (default: they are rejected). */
  readonly approver?: Approver;
  /** Receives an entry for every call, including refused ones. */
  readonly audit?: AuditSink;
  /** Values to redact from all output, by name, or a source that may change. */
  readonly secrets?: Readonly<Record<string, string>> | SecretSource;
  /** Where tasks are stored (default: in memory). */
  readonly store?: Store;
  /** Called for faults that must not fail a call (default: writes to standard error). */
  readonly onFault?: (fault: unknown, where: string) => void;
}

/** The settings an operator applies to a server. */
export interface Governance extends Pick<
  ServerOptions,
  | "policies"
  | "hooks"
  | "meters"
  | "mode"
  | "limits"
  | "approver"
  | "audit"
  | "secrets"
  | "store"
  | "onFault"
  | "disclose"
> {
  /** The other processes that serve from the same store (default: there are none). */
  readonly fleet?: Fleet;
}

/** The version of a server that states none. */
export const defaultVersion = "0.0.0";

export const serverOptionNames: OptionNames<ServerOptions> = {
  name: true,
  version: true,
  title: true,
  description: true,
  icons: true,
  websiteUrl: true,
  tools: true,
  resources: true,
  prompts: true,
  skills: true,
  packs: true,
  disclose: true,
  policies: true,
  hooks: true,
  meters: true,
  mode: true,
  limits: true,
  approver: true,
  audit: true,
  secrets: true,
  store: true,
  onFault: true,
};
