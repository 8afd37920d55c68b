import { isRecord } from "../is-record.ts";
import type { Episode } from "./episode.ts";
import { fillFields } from "./prompt-template.ts";
import type { Task } from "./tasks.ts";

/** What an agent reads first: the system prompt of the task, if it has one, and the task itself. */
export interface FirstPrompt {
  readonly system: string | undefined;
  readonly user: string;
}

/**
 * The prompt of an episode. The task's `user_prompt_template` is filled with the first observation and the config;
 * without one, the prompt is the observation.
 */
export function firstPrompt({ firstObservation }: Pick<Episode, "firstObservation">, task: Task): FirstPrompt {
  const { system_prompt: system, user_prompt_template: template, config, seed } = task;
  const observation =
    isRecord(firstObservation) && Object.hasOwn(firstObservation, "observation")
      ? firstObservation["observation"]
      : firstObservation;
  const values = { ...config, ...(seed !== undefined && { seed }), observation };
  return {
    system: typeof system === "string" && system !== "" ? system : undefined,
    user: fillFields(typeof template === "string" && template !== "" ? template : "{observation}", values, showPlain),
  };
}

function showPlain(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
