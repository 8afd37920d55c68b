import type { Score, Trace } from "biplane/rollout";

/** 1 for a solved ticket, else 0, with a reason to read. What the calls cost does not matter here. */
export default function score({ steps, ending }: Trace): Score {
  const total = (part: string) => steps.reduce((sum, { parts }) => sum + (parts?.[part] ?? 0), 0);
  const metrics = {
    solved: { score: Math.max(0, total("solved")), reason: "" },
    clear: { score: total("clear") > 0 ? 1 : 0, reason: "" },
  };
  if (metrics.solved.score === 1) return { score: 1, reason: "The ticket is solved", metrics };
  const why = total("overpaid") < 0 ? "It paid back too much" : ending.terminated ? "The ending is wrong" : "No reply";
  return { score: 0, reason: why, metrics };
}
