import type { CustomerAction, CustomerTopic } from "./customer/understand.ts";
import type { HomeNetwork } from "./home-network.ts";

/** A contact: who calls, why, what the customer knows and wants, and how the result is judged. */
export interface SupportTask {
  readonly id: string;
  readonly level: 1 | 2 | 3;
  readonly split: "train" | "test";
  /** The account that the contact is about. */
  readonly customer: string;
  /** Who speaks, for a model that plays the customer. The script ignores it. */
  readonly persona: string;
  readonly opening: string;
  /** What the customer answers if asked, beyond the identity facts of the account. */
  readonly knows?: Partial<Record<CustomerTopic, string>>;
  /** What the customer will not say or do, and what it says instead. */
  readonly refuses?: Partial<Record<CustomerTopic | CustomerAction, string>>;
  /** How the customer answers proposals. The first that matches counts; others are accepted. */
  readonly decides?: readonly CustomerDecision[];
  /** Requests that the customer makes only when asked whether there is anything else. */
  readonly later?: readonly string[];
  readonly home?: Partial<HomeNetwork>;
  /** What the agent must say to the customer. */
  readonly tell?: readonly RequiredFact[];
  /** Tools that must not succeed in this contact. */
  readonly forbids?: readonly string[];
  /** A plan that solves the task. Its final state is the one that others are compared with. */
  readonly plan: readonly PlanStep[];
}

/** The built-in tasks by id. They are for training unless they say otherwise. */
export type TaskTable = Readonly<Record<string, Omit<SupportTask, "id" | "split"> & { readonly split?: "test" }>>;

/** The answer to a proposal that mentions something of `about`, and nothing of `unless`. */
export interface CustomerDecision {
  readonly about: readonly RequiredFact[];
  readonly unless?: readonly RequiredFact[];
  readonly agrees: boolean;
  readonly says: string;
}

/** An amount, an ISO date, or texts of which one must be said. */
export type RequiredFact = number | string | readonly string[];

/** A message to the customer, or a call. */
export type PlanStep = string | readonly [tool: string, input: Readonly<Record<string, unknown>>];
