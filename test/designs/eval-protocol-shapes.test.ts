import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { gallery } from "@biplane/gallery";
import { scriptedAgent, seedRows } from "biplane/rollout";
import { CrookedServer } from "../rollout/crooked-server.ts";
import { lakeMoves, playAll, solution } from "../rollout/playing.ts";

const frozenLake = () => gallery["frozen-lake"]?.() ?? expect.fail("there is no frozen-lake");

test("row.rollout_status.status and .termination_reason say how a rollout ended", async () => {
  await using lake = frozenLake();
  const [row] = await playAll(lake, seedRows([42]), { agent: scriptedAgent(lakeMoves(solution)) });
  expect(row?.rollout_status).toMatchObject({ status: "finished", termination_reason: "control_plane_signal" });
});

test("in playback the initial state is waited for 3 seconds, not 15", async () => {
  await using server = await CrookedServer.open({ control: { initial_state: "hang" } });
  const folder = await mkdtemp(join(tmpdir(), "biplane-playback-"));
  const file = join(folder, "recorded.jsonl");
  const messages = [
    { role: "user", content: "Go." },
    { role: "assistant", content: "Done." },
  ];
  await writeFile(file, `${JSON.stringify({ env_index: 0, step: 0, messages })}\n`);
  const rows = [{ messages: [{ role: "user", content: "Go." }] }];
  const [row] = await playAll(server.url, rows, { agent: scriptedAgent([]), env: { EP_PLAYBACK_FILE: file } });
  await rm(folder, { recursive: true });
  expect(row?.trace.faults).toMatchObject([{ what: "initial_state", why: "Timed out after 3000 ms." }]);
});
