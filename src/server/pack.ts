import type { Policy } from "../call/policy.ts";
import type { Tool } from "../tool/tool.ts";
import type { Prompt } from "./prompt.ts";
import type { Resource } from "./resource.ts";

/** Tools that belong together, and what they need: rules of their own, what must not leave, something to close. */
export interface Pack {
  readonly name: string;
  readonly tools: readonly Tool[];
  readonly resources?: readonly Resource[];
  readonly prompts?: readonly Prompt[];
  /** Rules over this pack's tools only. */
  readonly policies?: readonly Policy[];
  /** Values the pack was configured with that must never leave, by name. */
  readonly secrets?: Readonly<Record<string, string>>;
  close?(): Promise<void>;
}
