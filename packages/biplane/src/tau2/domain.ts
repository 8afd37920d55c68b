import type { JsonObject } from "@biplane/core/internal";

/** Who calls a tool. */
export type Requestor = "assistant" | "user";

/** A tool of a domain. `run` returns text, or a value that Python's `json.dumps` writes. */
export interface DomainTool<Database> {
  readonly description: string;
  readonly kind: "read" | "write" | "generic";
  /** JSON Schemas of the parameters. All are required, unless they have a default. */
  readonly parameters: Readonly<Record<string, JsonObject>>;
  readonly run: (database: Database, input: DomainInput) => unknown;
}

export type DomainInput = Readonly<Record<string, unknown>>;
export type DomainTools<Database> = Readonly<Record<string, DomainTool<Database>>>;

/** A function of the reference that tasks call to prepare an episode, or to check its end. */
export type DomainFunctions<Database> = Readonly<Record<string, (database: Database, input: DomainInput) => unknown>>;

/** A customer-service domain. Its state is plain data, which the functions change in place. */
export interface Domain<State = unknown> {
  readonly name: "retail" | "airline" | "telecom";
  /** What the agent must follow. */
  readonly policy: string;
  readonly tasks: readonly Tau2Task[];
  /** Ids of the tasks of each split. */
  readonly splits: Readonly<Record<string, readonly string[]>>;
  readonly tools: Readonly<Record<Requestor, DomainTools<State>>>;
  readonly functions: Readonly<Record<Requestor, DomainFunctions<State>>>;
  /** The guidelines for the model that plays the user. */
  readonly userGuidelines: string;
  /** The pristine state. */
  create(): State;
  /** Carries over what one side did to the other. */
  synchronize(state: State): void;
  /** One hash for each database. */
  hashes(state: State): readonly string[];
}

/** A task, as its file has it. */
export interface Tau2Task {
  readonly id: string;
  readonly user_scenario: { readonly persona?: string | null; readonly instructions: ScenarioInstructions | string };
  readonly initial_state?: { readonly initialization_actions?: readonly FunctionCall[] | null } | null;
  readonly evaluation_criteria?: Criteria | null;
}

export interface ScenarioInstructions {
  readonly domain: string;
  readonly reason_for_call: string;
  readonly known_info?: string | null;
  readonly unknown_info?: string | null;
  readonly task_instructions: string;
}

export interface FunctionCall {
  readonly env_type: Requestor;
  readonly func_name: string;
  readonly arguments: DomainInput;
}

export interface Criteria {
  readonly actions?: readonly GoldAction[] | null;
  readonly env_assertions?: readonly (FunctionCall & { readonly assert_value?: boolean })[] | null;
  readonly communicate_info?: readonly string[] | null;
  readonly nl_assertions?: readonly string[] | null;
  readonly reward_basis: readonly RewardBasis[];
}

export type RewardBasis = "DB" | "ENV_ASSERTION" | "COMMUNICATE" | "ACTION" | "NL_ASSERTION";

export interface GoldAction {
  readonly name: string;
  readonly arguments: DomainInput;
  readonly requestor?: Requestor;
  readonly compare_args?: readonly string[] | null;
}

/** A tool call of either side. */
export interface DomainCall {
  readonly name: string;
  readonly arguments: DomainInput;
  readonly requestor: Requestor;
}

export interface DomainResult {
  readonly content: string;
  readonly isError: boolean;
  /** True if the reference words this error in terms of Python or pydantic, and we do not. */
  readonly isLoose?: boolean;
}
