import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { listRuns, readTraces } from "biplane/rollout";
import { openStore } from "biplane/store";
import { runHere } from "../cli/command.ts";
import { ModelServer } from "../rollout/model-server.ts";
import { dataFolder, needsVectors } from "./vectors.ts";

describe("models on the command line", needsVectors, () => {
  const folders: string[] = [];
  afterEach(async () => {
    vi.unstubAllEnvs();
    for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
  });

  async function play(user: ModelServer) {
    const folder = await mkdtemp(join(tmpdir(), "biplane-tau2-"));
    folders.push(folder);
    vi.stubEnv("BIPLANE_DATA", dataFolder);
    await using agent = await ModelServer.open({
      say: () => ({ calls: [{ name: "message_user", arguments: '{"message":"How can I help?"}' }] }),
    });
    const store = join(folder, "runs.db");
    const run = { store, split: "base", number: "1", steps: "4", "max-masked": "1" };
    const models = { model: "agent", "base-url": agent.baseUrl, "user-model": `customer@${user.baseUrl}` };
    const words = Object.entries({ ...run, ...models }).flatMap(([name, value]) => [`--${name}`, value]);
    await runHere("rollout", "tau2-airline", ...words);
    await using opened = await openStore(store);
    const [played] = await listRuns(opened);
    const [trace] = await readTraces(opened, played?.id ?? "");
    return trace;
  }

  test("--user-model plays the customer", async () => {
    await using user = await ModelServer.open({
      say: ({ messages }) => ({ content: messages.length > 3 ? "###STOP###" : "I want to change a flight." }),
    });
    const trace = await play(user);
    expect(JSON.stringify(trace?.observation)).toContain("I want to change a flight.");
    expect(trace?.steps.at(-1)).toMatchObject({ terminated: true });
    expect(user.asked.every(({ model }) => model === "customer")).toBe(true);
  });

  test("a customer that fails masks the rollout", async () => {
    await using user = await ModelServer.open({
      say: () => ({ content: "Hello." }),
      trouble: (request) => (request === 0 ? undefined : 401),
    });
    const trace = await play(user);
    expect(trace?.steps.at(-1)?.reward).toBeNull();
  });
});
