import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { environment } from "biplane";
import { gallery } from "biplane/gallery";
import { connectEnvironment } from "biplane/client";
import { openEnvPackage } from "../../packages/biplane/src/trainers/openenv-package.ts";
import { recordProbe } from "../../packages/biplane/src/trainers/openenv-probe.ts";
import type { OpenEnvProbe } from "../../packages/biplane/src/trainers/openenv-probe.ts";
import { runHere } from "../cli/command.ts";
import { serveForTest } from "../support/serve-for-test.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const unrewarded = ["echo", "waiting"];

test.each(Object.entries(gallery))(
  "%s plays its probe over OpenEnv within its declared rewards",
  async (name, make) => {
    const served = make();
    const probe = await recordProbe(served);
    const options = {
      path: `envs/${name}`,
      license: "Apache-2.0",
      tags: ["games"],
      taskCounts: {},
      needsNetwork: false,
    };
    const files = openEnvPackage({ environment: served, probe, ...options });
    const manifest = parse(files["openenv.yaml"] ?? "") as Manifest;
    const [low, high] = manifest.validation.reward.range;
    const url = await serveForTest([served]);
    await using client = await connectEnvironment(url);
    const { reset, actions } = JSON.parse(files["validation/runtime.json"] ?? "") as OpenEnvProbe;
    await client.reset({ seed: reset.seed, episodeId: reset.episode_id });
    for (const [at, action] of actions.entries()) {
      const { reward } = await client.step(action);
      if (unrewarded.includes(name)) expect(reward).toBeNull();
      else expect(reward !== null && reward >= low && reward <= high, `${name}: ${reward}`).toBe(true);
      expect(await client.state()).toMatchObject({ episodeId: reset.episode_id, stepCount: at + 1 });
    }
    expect(actions.length).toBeGreaterThan(0);
  },
);

interface Manifest {
  readonly validation: { readonly reward: { readonly range: [number, number] } };
}

test("biplane openenv writes the manifest, the declaration of its card and the probe", async () => {
  await using temporary = await temporaryFolder();
  const folder = temporary.path;
  await mkdir(join(folder, ".git"));
  const target = join(folder, "envs", "support");
  const { code, stdout } = await runHere(
    "openenv",
    "broadband-support",
    "--folder",
    target,
    "--tags",
    "support, tools",
  );
  expect(code).toBe(0);
  expect(stdout).toContain("openenv validate");
  const manifest: unknown = parse(await readFile(join(target, "openenv.yaml"), "utf8"));
  expect(manifest).toMatchObject({
    spec_version: 1,
    name: "broadband-support",
    validation: {
      reward: { range: [0, 1] },
      network: { mode: "no-network" },
      capabilities: { task_api: true, declared_task_count: { train: expect.any(Number) as number } },
      types: { tags: ["support", "tools"] },
      execution: { kind: "openenv_ws", probe_path: "validation/runtime.json" },
    },
  });
  const declaration: unknown = JSON.parse(await readFile(join(target, "discovery.json"), "utf8"));
  expect(declaration).toMatchObject({
    license: "Apache-2.0",
    agent_tools: { protocol: "mcp", source: "envs/support/openenv.yaml" },
  });
});

test("a module gets its files beside it", async () => {
  await using temporary = await temporaryFolder();
  const module = join(temporary.path, "quiz.mjs");
  await writeFile(
    module,
    `import { gallery } from ${JSON.stringify(import.meta.resolve("biplane/gallery"))};\nexport default gallery.taxi();\n`,
  );
  const { code, stdout, stderr } = await runHere("openenv", module);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toContain(`biplane image ${module} --trainers --folder ${temporary.path}`);
  const declaration: unknown = JSON.parse(await readFile(join(temporary.path, "discovery.json"), "utf8"));
  expect(declaration).toMatchObject({ license: "unknown", agent_tools: { names: ["taxi_move"] } });
});

test("an environment without rewards gets a warning, and own actions replace the recorded ones", async () => {
  await using temporary = await temporaryFolder();
  const folder = temporary.path;
  const actions = join(folder, "actions.json");
  await writeFile(actions, '[{"type":"call_tool","tool_name":"echo_message","arguments":{"message":"hi"}}]');
  const { code, stderr } = await runHere("openenv", "echo", "--folder", join(folder, "echo"), "--actions", actions);
  expect([code, stderr]).toEqual([0, expect.stringContaining("echo has no rewards")]);
  const probe = await readFile(join(folder, "echo", "validation", "runtime.json"), "utf8");
  expect((JSON.parse(probe) as OpenEnvProbe).actions).toHaveLength(1);
  await writeFile(actions, "[]");
  const empty = await runHere("openenv", "echo", "--folder", join(folder, "other"), "--actions", actions);
  expect([empty.code, empty.stderr]).toEqual([1, expect.stringContaining("must have a JSON list of 1 to 100 actions")]);
});

test("a reward outside of the declared range is an error that says what to set", async () => {
  await using generous = environment({
    name: "generous",
    version: "1.0.0",
    start: () => ({}),
    observe: () => ({}),
    tools: (tool) => ({ gift_take: tool({ run: () => "thanks" }) }),
    reward: () => 5,
  });
  await expect(recordProbe(generous)).rejects.toThrow("has the reward 5, but its range is 0 to 1. Set rewardRange");
});

test("a reward range must be two numbers, the lower one first", () => {
  const define = () =>
    environment({
      name: "odd",
      version: "1.0.0",
      start: () => ({}),
      observe: () => ({}),
      tools: (tool) => ({ gift_take: tool({ run: () => "thanks" }) }),
      rewardRange: [1, 0],
    });
  expect(define).toThrow("rewardRange must be two numbers, the lower one first, not [1,0]");
});
