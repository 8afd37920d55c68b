import { blackjack } from "../../src/gallery/blackjack/blackjack.ts";
import { randomAgent } from "../../src/rollout/agent/random.ts";
import { make } from "../../src/rollout/make.ts";
import { rollout } from "../../src/rollout/rollout.ts";
import { seedRows } from "../../src/rollout/row.ts";
import { sqliteStore } from "../../src/store/sqlite.ts";

/** Plays a run into a file, as `biplane rollout` does in a process of its own; waits for a word before it ends. */
const [, , file = "", count = "0"] = process.argv;
await using store = sqliteStore(file);
await using game = blackjack();
await using envs = await make(game, { rows: seedRows(Array.from({ length: Number(count) }, (_, at) => at)) });
const options = { agent: randomAgent(), store, run: "elsewhere", concurrency: 1, env: {} };
for await (const { trace } of rollout(envs, options)) {
  if (trace.index !== 1) continue;
  process.stdout.write("half way\n");
  await new Promise((resolve) => process.stdin.once("data", resolve));
  process.stdin.unref();
}
