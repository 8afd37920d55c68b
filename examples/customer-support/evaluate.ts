import { make, rollout, scoreTraces, summarize, taskRows } from "biplane/rollout";
import type { Trace } from "biplane/rollout";
import agent from "./careful-agent.ts";
import support from "./environment.ts";
import score from "./score.ts";

const rows = [...(await taskRows(support, "train")), ...(await taskRows(support, "test"))];
const envs = await make(support, { rows });
const traces: Trace[] = [];
try {
  for await (const { trace } of rollout(envs, { agent, steps: 20 })) traces.push(trace);
} finally {
  await envs.close();
  await support.close();
}

const scored = await scoreTraces(
  traces.toSorted((a, b) => a.index - b.index),
  score,
);
console.log("task               reward  score  reason");
for (const {
  trace,
  score: { score: value, reason },
} of scored)
  console.log(`${trace.rowId.padEnd(18)} ${shown(trace.totalReward).padStart(6)}  ${shown(value)}   ${reason}`);

const { mean, interval, passAt, masked, rollouts } = summarize(scored);
console.log(
  `\nmean ${shown(mean)}, 95 % ${interval?.map(shown).join(" to ")}, pass@1 ${passAt[1]}, ${masked} of ${rollouts} masked`,
);

/** A rollout that something else than the agent made fail has no reward and no score. */
function shown(value: number | null): string {
  return value?.toFixed(2) ?? "none";
}

// prints:
// task               reward  score  reason
// cancel-processing    1.17  1.00   The ticket is solved
// cancel-shipped       1.18  1.00   The ticket is solved
// damaged              1.17  1.00   The ticket is solved
// too-late             1.18  1.00   The ticket is solved
// over-limit           1.18  1.00   The ticket is solved
// late-delivery        1.17  1.00   The ticket is solved
// day-29               1.17  1.00   The ticket is solved
// cancel-expensive     1.17  1.00   The ticket is solved
// day-31               1.18  1.00   The ticket is solved
// refunded-before      1.18  1.00   The ticket is solved
// question            -0.82  0.00   The ending is wrong
// other-customer       1.19  1.00   The ticket is solved
// no-order-id         -0.81  0.00   The ending is wrong
// two-refunds         -1.03  0.00   The ending is wrong
// two-cancels         -1.03  0.00   The ending is wrong
// mixed               -1.03  0.00   The ending is wrong
// exact-limit          1.17  1.00   The ticket is solved
// day-30              -0.82  0.00   The ending is wrong
// kept-late            1.17  1.00   The ticket is solved
// cancel-delivered     1.17  1.00   The ticket is solved
//
// mean 0.70, 95 % 0.48 to 0.85, pass@1 0.7, 0 of 20 masked
