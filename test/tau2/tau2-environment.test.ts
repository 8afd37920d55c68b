import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { BiplaneError, rules } from "biplane";
import type { Environment, Episode } from "biplane";
import { connect, connectEnvironment } from "biplane/client";
import { tau2Environment } from "biplane/tau2";
import type { Grade, Tau2Options } from "biplane/tau2";
import { resolveConfig } from "../../packages/biplane/src/config/resolve-config.ts";
import { openDomain } from "../../packages/biplane/src/tau2/open-domain.ts";
import type { Tau2Task } from "../../packages/biplane/src/tau2/domain.ts";
import { recordProbe } from "../../packages/biplane/src/trainers/openenv-probe.ts";
import { train } from "../gallery/trainer.ts";
import { dataFolder, needsVectors } from "./vectors.ts";

const options = (domain: Tau2Options["domain"], more: Partial<Tau2Options> = {}): Tau2Options => ({
  domain,
  folder: dataFolder,
  ...more,
});

interface Info {
  readonly task_id: string;
  readonly end: { readonly reason: string; readonly detail?: string } | null;
  readonly grade: Grade | null;
}

describe("an environment of tau2", needsVectors, () => {
  test("gold actions over the wire get the reward, and every part is on the control plane", async () => {
    const task = taskWhere(
      "airline",
      ({ evaluation_criteria: criteria }) => (criteria?.communicate_info?.length ?? 0) > 0,
    );
    await using environment = tau2Environment(options("airline"));
    const { url } = await environment.serve("http://127.0.0.1:0");
    const config = { task_id: task.id, user_script: ["I need help.", "###STOP###"] };
    const episode = await environment.start({ config });
    await using client = await connect(`${url}/e/${episode.id}/mcp`);
    for (const { name, arguments: input } of task.evaluation_criteria?.actions ?? [])
      await client.callTool(name, input);
    const facts = (task.evaluation_criteria?.communicate_info ?? []).join(" ");
    const { content } = await client.callTool("message_user", { message: `It is ${facts}.` });
    expect(content).toMatchObject([{ text: "###STOP###" }]);
    expect(episode).toMatchObject({ terminated: true, truncated: false, totalReward: 1 });
    const info = infoOf(environment, episode);
    expect(info).toMatchObject({ task_id: task.id, end: { reason: "user_stop", detail: "stop" } });
    expect(info.grade).toMatchObject({
      reward: 1,
      basis: ["DB", "COMMUNICATE"],
      parts: { DB: 1, COMMUNICATE: 1, ACTION: 1 },
    });
  });

  test.each(["retail", "airline", "telecom"] as const)("%s plays the probe of its OpenEnv package", async (domain) => {
    await using environment = tau2Environment(options(domain));
    const { reset, actions } = await recordProbe(environment);
    const { url } = await environment.serve("http://127.0.0.1:0");
    await using client = await connectEnvironment(url);
    await client.reset({ seed: reset.seed, episodeId: reset.episode_id });
    const rewards: (number | null)[] = [];
    for (const action of actions) rewards.push((await client.step(action)).reward);
    expect(rewards.every((reward) => reward === 0 || reward === 1)).toBe(true);
    expect(await client.state()).toMatchObject({ episodeId: reset.episode_id, stepCount: actions.length });
  });

  test("a silent agent gets what tau2 gives it, and no_op_reward and the strict reward show it", async () => {
    await using environment = tau2Environment(options("airline"));
    const rewarded = { plain: 0, noOp: 0 };
    for (const id of openDomain({ domain: "airline", folder: dataFolder }).splits["base"] ?? []) {
      const episode = await environment.start({ config: { task_id: id, user_script: ["Hello.", "###STOP###"] } });
      await environment.call(episode, "message_user", { message: "Goodbye." });
      const { grade } = infoOf(environment, episode);
      expect(episode.last.reward).toBe(grade?.reward);
      if (grade?.reward === 1) rewarded.plain++;
      if (grade?.no_op_reward === 1) rewarded.noOp++;
    }
    expect(rewarded).toEqual({ plain: 23, noOp: 23 });
  });

  test("the customer uses its phone between two messages, and both databases are graded", async () => {
    const task = taskWhere("telecom", ({ evaluation_criteria: criteria }) =>
      (criteria?.actions ?? []).every(({ requestor }) => requestor === "user"),
    );
    const calls = (task.evaluation_criteria?.actions ?? []).map(({ name, arguments: input }) => ({
      name,
      arguments: input,
    }));
    const config = { task_id: task.id, user_script: ["It does not work.", ...calls, "Works. ###STOP###"] };
    await using trainer = await train(tau2Environment(options("telecom")));
    const { observation } = await trainer.reset({ ...config });
    expect(observation["conversation"]).toMatchObject([
      { role: "assistant" },
      { role: "user", content: "It does not work." },
    ]);
    const step = { tool_name: "message_user", arguments: { message: "Please turn it off and on." } };
    expect(await trainer.step(step)).toMatchObject({ reward: 1, done: true });
    expect(await trainer.state()).toMatchObject({ task_id: task.id, grade: { parts: { ENV_ASSERTION: 1 } } });
  });

  test("a failed tool call is a result with tau2's text, and ten of them end the episode without reward", async () => {
    await using environment = tau2Environment(options("retail"));
    const { url } = await environment.serve("http://127.0.0.1:0");
    const episode = await environment.start({ config: { user_script: ["Hello."] } });
    await using client = await connect(`${url}/e/${episode.id}/mcp`);
    for (let count = 0; count < 10; count++) {
      expect(await client.callTool("get_order_details", { order_id: "#W0" })).toMatchObject({
        isError: true,
        content: [{ text: "Error: Order not found" }],
      });
    }
    expect(episode).toMatchObject({ truncated: true, terminated: false, totalReward: 0, last: { reward: 0 } });
    const info = infoOf(environment, episode);
    expect(info.end).toEqual({ reason: "too_many_errors" });
  });

  test("the limit of hand-overs ends the episode without reward", async () => {
    await using environment = tau2Environment(options("retail"));
    const config = { max_steps: 6, user_script: ["Hello.", "Yes?", "And?", "So?"] };
    const episode = await environment.start({ config });
    while (!episode.isOver) await environment.call(episode, "message_user", { message: "Wait." });
    expect(episode).toMatchObject({ truncated: true, stepCount: 3, last: { reward: 0 } });
  });

  test("a failure of the simulated customer is masked", async () => {
    const user = () => Promise.reject(new Error("the model is gone"));
    await using environment = tau2Environment(options("retail", { user }));
    const episode = await environment.start({ config: { user_script: ["Hello."] } });
    expect(episode.isOver).toBe(false);
    const other = await environment.start();
    const info = infoOf(environment, other);
    expect(info.end).toMatchObject({ reason: "user_error", detail: "the model is gone" });
    await environment.call(other, "message_user", { message: "Hello?" });
    expect(other).toMatchObject({ terminated: true, last: { reward: null } });
  });

  test("a customer that says nothing is asked once more", async () => {
    const said = ["", "Hello.", "", ""];
    const user = () => Promise.resolve({ text: said.shift() ?? "" });
    await using environment = tau2Environment(options("retail", { user }));
    const episode = await environment.start();
    expect(episode.firstObservation).toMatchObject({ conversation: [{}, { content: "Hello." }] });
    await environment.call(episode, "message_user", { message: "Yes?" });
    expect(episode).toMatchObject({ terminated: true, last: { reward: null } });
  });

  test.each([
    ["met", '{"results":[{"met":true},{"met":true}]}', 1],
    ["not met", '{"results":[{"met":true},{"met":false}]}', 0],
  ])("sentences that a judge finds %s decide the reward", async (_, verdict, reward) => {
    expect(await judged(verdict)).toMatchObject({ last: { reward } });
  });

  test("a judge that fails, or is missing, masks the reward of its task only", async () => {
    expect(await judged("I cannot say")).toMatchObject({ terminated: true, last: { reward: null } });
    expect(await judged(undefined)).toMatchObject({ terminated: true, last: { reward: null } });
  });

  test("an episode can be forked, and its branches do not see each other's changes", async () => {
    const task = taskWhere("retail", ({ evaluation_criteria: criteria }) =>
      (criteria?.actions ?? []).some(({ name }) => name === "cancel_pending_order"),
    );
    const cancel = task.evaluation_criteria?.actions?.find(({ name }) => name === "cancel_pending_order");
    await using environment = tau2Environment(options("retail"));
    const episode = await environment.start({ config: { task_id: task.id, user_script: ["Hello."] } });
    const fork = await environment.episodes.fork(episode);
    const details = { order_id: cancel?.arguments["order_id"] };
    await environment.call(episode, "cancel_pending_order", cancel?.arguments);
    expect(await environment.call(episode, "get_order_details", details)).toContain('"status": "cancelled"');
    expect(await environment.call(fork, "get_order_details", details)).toContain('"status": "pending"');
  });

  test.each(["data/tau2/domains", "inspect_evals/tau2/data/domains", "retail's folder beside others"])(
    "the data is found in the layout %s",
    async (layout) => {
      const folder = await mkdtemp(join(tmpdir(), "biplane-tau2-"));
      const place = join(folder, layout.includes("/") ? layout : "");
      await mkdir(place, { recursive: true });
      await symlink(join(dataFolder, "tau2", "retail"), join(place, "retail"));
      expect(openDomain({ domain: "retail", folder }).tasks).toHaveLength(114);
      await rm(folder, { recursive: true });
    },
  );

  test("certificates above a sum wait for a person, as docs/tau2.md says", async () => {
    const page = readFileSync(new URL("../../docs/tau2.md", import.meta.url), "utf8");
    const [, yaml = ""] = /```yaml\n([^]*?)```/.exec(page) ?? [];
    const { config } = resolveConfig({ file: { name: "biplane.yaml", text: yaml }, environment: {} });
    const asked: unknown[] = [];
    await using environment = tau2Environment(options("airline"));
    environment.policy(rules(config.policies ?? []));
    environment.govern({
      approver: {
        approve: ({ questions }) => {
          asked.push(...questions.map(({ question }) => question));
          return Promise.reject(new BiplaneError("APPROVAL_REJECTED", "No."));
        },
      },
    });
    const episode = await environment.start({ config: { user_script: ["Hello."] } });
    const [user] = openDomain({ domain: "airline", folder: dataFolder }).tasks.flatMap(
      ({ evaluation_criteria: criteria }) =>
        (criteria?.actions ?? []).flatMap((action) => action.arguments["user_id"] ?? []),
    );
    const send = (amount: number) => environment.call(episode, "send_certificate", { user_id: user, amount });
    expect(await send(100)).toContain("with amount 100.");
    await expect(send(101)).rejects.toMatchObject({ code: "APPROVAL_REJECTED" });
    expect(asked).toEqual([expect.stringContaining("send a certificate of 101?")]);
  });

  test("splits become tasks", async () => {
    await using environment = tau2Environment(options("telecom"));
    const { tasks } = environment.rules.options;
    expect(Object.keys(tasks ?? {})).toEqual(expect.arrayContaining(["base", "train", "test"]));
    const rows = tasks?.["base"];
    expect(typeof rows === "function" ? await rows() : rows).toHaveLength(114);
  });
});

test("a folder without the data says what is missing", () => {
  expect(() => tau2Environment({ domain: "retail", folder: "/nowhere" })).toThrow(
    /\/nowhere has no retail.db.json. Pass the folder data\/tau2/,
  );
});

/** Plays a retail task with two assertions to its end, with a judge that answers so. */
async function judged(verdict: string | undefined) {
  const task = taskWhere("retail", ({ evaluation_criteria: criteria }) => criteria?.nl_assertions?.length === 2);
  const judge = () => Promise.resolve({ text: verdict ?? "" });
  await using environment = tau2Environment(options("retail", verdict === undefined ? {} : { judge }));
  const config = { task_id: task.id, user_script: ["Hello.", "###STOP###"] };
  const episode = await environment.start({ config });
  for (const { name, arguments: input } of task.evaluation_criteria?.actions ?? [])
    await environment.call(episode, name, input);
  await environment.call(episode, "message_user", { message: "Done." });
  return episode;
}

function infoOf(environment: Environment, { state, context }: Episode): Info {
  return environment.rules.options.info?.(state, context) as Info;
}

function taskWhere(domain: Tau2Options["domain"], isMeant: (task: Tau2Task) => boolean): Tau2Task {
  const { tasks, splits } = openDomain({ domain, folder: dataFolder });
  const task = tasks.find((each) => splits["base"]?.includes(each.id) && isMeant(each));
  if (!task) throw new Error(`No task of ${domain} is like this.`);
  return task;
}
