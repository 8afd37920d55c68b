import type { Policy } from "../call/policy.ts";
import type { Tool } from "../tool/tool.ts";
import type { Prompt } from "./prompt.ts";
import type { Resource } from "./resource.ts";
import type { Skill } from "./skill.ts";

/** A set of tools with their policies and secrets. */
export interface Pack {
  readonly name: string;
  readonly tools: readonly Tool[];
  readonly resources?: readonly Resource[];
  readonly prompts?: readonly Prompt[];
  readonly skills?: readonly Skill[];
  /** They apply to this pack's tools only. */
  readonly policies?: readonly Policy[];
  /** Configured values to redact from all output, by name. */
  readonly secrets?: Readonly<Record<string, string>>;
  close?(): Promise<void>;
}
