import { readFileSync } from "node:fs";
import { z } from "zod";

/** The right outcome of a ticket. */
export const goal = z.object({
  resolution: z.enum(["solved", "declined", "escalated"]),
  refunds: z.record(z.string(), z.number()).default({}),
  cancelled: z.array(z.string()).default([]),
});

export const policy = readFileSync(new URL("policy.md", import.meta.url), "utf8");

/** The tasks of a split, a JSON object on each line of its file. */
export function readTasks(split: "train" | "test") {
  const lines = readFileSync(new URL(`tasks/${split}.jsonl`, import.meta.url), "utf8")
    .trim()
    .split("\n");
  return lines.map((line, seed) => {
    const { id, ...config } = JSON.parse(line) as { id: string; [key: string]: unknown };
    return { id, seed, config, system_prompt: policy, user_prompt_template: "{observation[message]}" };
  });
}
