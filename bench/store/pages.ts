import { pageOfTraces } from "../../packages/biplane/src/store/runs/rollout-list.ts";
import type { TraceQuery } from "../../packages/biplane/src/store/runs/rollout-list.ts";
import { median } from "../mcp/figures.ts";
import { writeManyRollouts } from "./many-rollouts.ts";
import type { StoreSubject } from "./subject.ts";

type Filter = Pick<TraceQuery, "reason" | "minReward" | "maxReward" | "text">;

/** Filters that match nothing, few, many and all, alone and together. */
const filters: Readonly<Record<string, Filter>> = {
  "no filter": {},
  "most endings": { reason: "control_plane_signal" },
  "a fifth of the endings": { reason: "max_steps" },
  errors: { reason: "error" },
  "a rare error": { reason: "error: timeout" },
  "no such ending": { reason: "absent" },
  "one reward": { minReward: 0, maxReward: 0 },
  "half of the rewards": { minReward: 1 },
  "the best rewards": { minReward: 1.999 },
  "errors with a reward": { reason: "error", minReward: 0.5 },
  "an ending and half of the rewards": { reason: "max_steps", minReward: 1 },
  "one seed": { text: "777" },
  "a tenth of the rows": { text: "seed_7" },
  "all rows": { text: "seed" },
  "no row": { text: "zzz" },
  "rows and rewards": { text: "seed_8", minReward: 1.9 },
  "rows and most endings": { text: "seed_1", reason: "control_plane_signal" },
};

/** The slowest page, as the median of three attempts, and by how much memory grew. */
export async function measurePages(
  subject: StoreSubject,
  count: number,
): Promise<{ worst: number; slowest: string; megabytes: number }> {
  const run = "many";
  const { store } = subject;
  process.stderr.write(`Writing ${count} rollouts to ${store.name} …\n`);
  await writeManyRollouts(store, { run, count });
  const before = process.memoryUsage().rss;
  let [worst, slowest] = [0, ""];
  for (const [name, filter] of Object.entries(filters))
    for (const order of ["index", "reward", "steps", "duration"] as const)
      for (const isDescending of [false, true])
        for (let after: string | undefined, page = 0; page < 2; page++) {
          const query = { order, isDescending, limit: 100, ...filter, after };
          const figures: number[] = [];
          for (let attempt = 0; attempt < 3; attempt++) {
            const startedAt = subject.cpuMs();
            const { next } = await pageOfTraces(store, run, query);
            figures.push(subject.cpuMs() - startedAt);
            if (attempt === 2) after = next ?? undefined;
          }
          if (median(figures) > worst)
            [worst, slowest] = [median(figures), `${name} by ${isDescending ? "-" : ""}${order}`];
          if (after === undefined) break;
        }
  return { worst, slowest, megabytes: (process.memoryUsage().rss - before) / 1e6 };
}
