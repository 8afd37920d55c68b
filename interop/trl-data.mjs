// Plays rollouts with a scripted model that gives token ids, exports them, and lets TRL train on the files:
// node interop/trl-data.mjs <server> <folder with the virtual environment>
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { frozenLake } from "../packages/gallery/src/frozen-lake/frozen-lake.ts";
import { openaiAgent } from "../packages/biplane/src/rollout/agent/openai.ts";
import { preferenceLines } from "../packages/biplane/src/rollout/export/lines.ts";
import { jsonLines } from "../packages/biplane/src/rollout/export/new-folder.ts";
import { ktoLines, sftLines, tokenLines } from "../packages/biplane/src/rollout/export/training-lines.ts";
import { seedRows } from "../packages/biplane/src/rollout/row.ts";
import { scoreTraces, totalReward } from "../packages/biplane/src/rollout/score/scorer.ts";
import { ModelServer, walker } from "../test/rollout/model-server.ts";
import { playAll, solution } from "../test/rollout/playing.ts";

const [server, home] = process.argv.slice(2);
const python = join(home, process.platform === "win32" ? "Scripts" : "bin", "python");
const folder = mkdtempSync(join(tmpdir(), "biplane-trl-"));

/** By repetition: two reach the goal, one walks into the wall, and the model of one fails after a move. */
const says = { m0: walker(solution), m1: walker(solution), m2: walker(["LEFT"]), m3: walker(["LEFT"]) };
const model = await ModelServer.open({
  say: (asked) => withTokens(asked, says[asked.model](asked)),
  trouble: (_, asked) => (asked.model === "m3" && asked.messages.length > 2 ? 500 : undefined),
});

try {
  const lake = frozenLake();
  const options = { baseUrl: model.baseUrl, tokenIds: true, logprobs: true, retries: 0 };
  const agents = Object.keys(says).map((name) => openaiAgent({ ...options, model: name }));
  const agent = { name: "openai", model: "scripted", begin: (context) => agents[context.repetition].begin(context) };
  const rows = seedRows([42], { system: "Cross the lake." });
  const played = await playAll(lake, rows, { agent, repetitions: agents.length });
  const traces = played.map(({ trace }) => trace);
  const scored = await scoreTraces(traces, totalReward);
  const files = {
    sft: sftLines(scored),
    kto: ktoLines(scored),
    dpo: preferenceLines(scored),
    tokens: tokenLines(scored),
  };
  for (const [name, lines] of Object.entries(files)) writeFileSync(join(folder, `${name}.jsonl`), jsonLines(lines));
  await lake.close();
  const script = fileURLToPath(new URL("python/trl_data.py", import.meta.url));
  execFileSync(python, [script, server, folder], { stdio: ["ignore", "inherit", "inherit"] });
} finally {
  await model[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
}

/** Every message is a token, and a reply two. */
function withTokens({ messages }, said) {
  const promptIds = messages.flatMap(({ role }, at) => (role === "assistant" ? [at, at + 100] : [at]));
  const ids = [messages.length, messages.length + 100];
  const usage = { prompt_tokens: promptIds.length, completion_tokens: 2, total_tokens: promptIds.length + 2 };
  return { ...said, promptIds, ids, logprobs: [-0.5, -0.25], usage };
}
