import { mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { environment } from "@biplane/core";
import type { Environment } from "@biplane/core";
import { connect } from "@biplane/core/client";
import { gallery } from "@biplane/gallery";
import { afterAll, beforeAll, expect, test } from "vitest";
import { serveHarborEpisode } from "../../packages/biplane/src/trainers/harbor-episode.ts";
import { runHere } from "../cli/command.ts";
import { freePort } from "../support/free-port.ts";

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), "biplane-harbor-"))));
afterAll(() => rm(folder, { recursive: true }));

const local = { url: "http://127.0.0.1:0", controlUrl: "http://127.0.0.1:0" };

/** Serves an episode, and finds its control plane. */
async function serveEpisode(served: Environment, seed?: number) {
  const port = await freePort();
  const controlUrl = `http://127.0.0.1:${port}`;
  const { url } = await serveHarborEpisode(served, { ...local, controlUrl, seed });
  return { url, controlUrl };
}

test("an episode is played over the URL of the task, and scored on the control plane", async () => {
  await using lake = gallery["frozen-lake"]();
  const { url, controlUrl } = await serveEpisode(lake, 42);
  const client = await connect(`${url}/e/task/mcp`);
  for (const action of ["DOWN", "DOWN", "RIGHT", "RIGHT", "DOWN", "RIGHT"])
    expect((await client.callTool("lake_move", { action })).isError).not.toBe(true);
  await client.close();
  const file = join(folder, "reward.json");
  const { code, stdout } = await runHere("harbor", "score", "--control", controlUrl);
  expect([code, JSON.parse(stdout)]).toEqual([0, { reward: 1, step_count: 6 }]);
  expect((await runHere("harbor", "score", "--control", controlUrl, "--out", file)).code).toBe(0);
  expect(JSON.parse(await readFile(file, "utf8"))).toEqual({ reward: 1, step_count: 6 });
});

test("agents reach the tools of the episode and nothing else", async () => {
  await using lake = gallery["frozen-lake"]();
  const { url } = await serveEpisode(lake, 42);
  for (const path of ["/", "/mcp", "/control/episodes", "/control/episodes/task", "/reset", "/e/task/mcp/execute"])
    expect([path, (await fetch(url + path)).status]).toEqual([path, 404]);
  expect((await fetch(`${url}/e/task/mcp`, { method: "POST", body: "{" })).status).toBe(415);
});

test("an episode without a reward is not scored, and no file is written", async () => {
  await using unjudged = environment({
    name: "unjudged",
    version: "1.0.0",
    onFault: () => undefined,
    start: () => ({ counted: 0 }),
    observe: ({ counted }) => ({ counted }),
    tools: (tool) => ({ number_count: tool({ description: "Count", run: (_, { state }) => ++state.counted }) }),
    reward: () => {
      throw new Error("the judge is away");
    },
  });
  const { url, controlUrl } = await serveEpisode(unjudged);
  const client = await connect(`${url}/e/task/mcp`);
  await client.callTool("number_count");
  await client.close();
  const { code, stderr } = await runHere(
    "harbor",
    "score",
    "--control",
    controlUrl,
    "--out",
    join(folder, "none.json"),
  );
  expect([code, stderr]).toEqual([1, expect.stringMatching(/The episode has no reward: .*the judge is away/)]);
  expect(await readdir(folder)).not.toContain("none.json");
});

test("--episode must be JSON with a seed that is an integer", async () => {
  const refusal = async (text: string) => (await runHere("harbor", "serve", "taxi", "--episode", text)).stderr;
  expect(await refusal("seven")).toContain("--episode must be a JSON object");
  expect(await refusal('{"seed":"7"}')).toContain("seed in --episode must be an integer");
});
