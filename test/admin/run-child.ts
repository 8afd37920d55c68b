import { blackjack } from "../../packages/gallery/src/blackjack/blackjack.ts";
import { randomAgent } from "../../packages/biplane/src/rollout/agent/random.ts";
import { make } from "../../packages/biplane/src/rollout/make.ts";
import { rollout } from "../../packages/biplane/src/rollout/rollout.ts";
import { seedRows } from "../../packages/biplane/src/rollout/row.ts";
import { openStore } from "biplane/store";

/** Plays a run into a file, as `biplane rollout` does in a process of its own; waits for a word before it ends. */
const [, , file = "", count = "0"] = process.argv;
await using store = await openStore(file);
await using game = blackjack();
await using envs = await make(game, { rows: seedRows(Array.from({ length: Number(count) }, (_, at) => at)) });
const options = { agent: randomAgent(), store, run: "elsewhere", concurrency: 1, env: {} };
for await (const { trace } of rollout(envs, options)) {
  if (trace.index !== 1) continue;
  process.stdout.write("half way\n");
  await new Promise((resolve) => process.stdin.once("data", resolve));
  process.stdin.unref();
}
