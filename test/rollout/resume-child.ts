import { frozenLake } from "../../packages/gallery/src/frozen-lake/frozen-lake.ts";
import { openaiAgent } from "../../packages/biplane/src/rollout/agent/openai.ts";
import { make } from "../../packages/biplane/src/rollout/make.ts";
import { rollout } from "../../packages/biplane/src/rollout/rollout.ts";
import { seedRows } from "../../packages/biplane/src/rollout/row.ts";
import { openStore } from "biplane/store";

/** Plays a run, and prints each row when it is done; to be killed, and started again with `resume`. */
const [, , file = "", baseUrl = "", count = "0", mode] = process.argv;
await using store = await openStore(file);
await using lake = frozenLake();
await using envs = await make(lake, { rows: seedRows(Array.from({ length: Number(count) }, () => 42)) });
const agent = openaiAgent({ model: "m", baseUrl });
const options = { agent, store, run: "the-run", resume: mode === "resume", concurrency: 16, env: {} };
for await (const row of rollout(envs, options)) process.stdout.write(`${row.trace.index}\n`);
