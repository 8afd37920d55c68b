import { describe, expect, test } from "vitest";
import { connect } from "biplane/client";
import { broadbandSupport, gallery } from "biplane/gallery";
import type { SupportTask, UserSimulator } from "biplane/gallery";
import { modelCustomer } from "biplane/rollout";
import { customerPrompt } from "../../../packages/gallery/src/broadband-support/customer/model-turn.ts";
import { newContact } from "../../../packages/gallery/src/broadband-support/contact.ts";
import { supportTasks } from "../../../packages/gallery/src/broadband-support/tasks/support-tasks.ts";
import { players } from "../../environment/endpoints.ts";
import { ModelServer } from "../../rollout/model-server.ts";
import { train } from "../trainer.ts";
import { infoOf, play } from "./agents.ts";

function taskNamed(id: string): SupportTask {
  const task = supportTasks.find((each) => each.id === id);
  if (!task) throw new Error(`There is no task ${id}.`);
  return task;
}

const callOf = (step: SupportTask["plan"][number]) =>
  typeof step === "string" ? (["message_customer", { message: step }] as const) : step;

describe("over every protocol", () => {
  const { id, plan } = taskNamed("cancelled-order-charged");

  test.each(Object.keys(players))("%s: the same plan gets the reward, and agents see no grade", async (name) => {
    await using environment = broadbandSupport();
    const { url } = await environment.serve("http://127.0.0.1:0");
    const player = await players[name]?.(environment, url, { seed: 7, config: { task_id: id } });
    expect(player?.first).toMatchObject({
      policy: expect.stringContaining("# Larkspur Broadband"),
      conversation: [{ role: "assistant" }, { role: "user" }],
    });
    const seen = [];
    for (const step of plan) seen.push(await player?.step(...callOf(step)));
    expect(seen.map((step) => step?.reward)).toEqual(plan.map((_, index) => (index === plan.length - 1 ? 1 : 0)));
    expect(seen.at(-1)).toMatchObject({ terminated: true, truncated: false });
    expect(player?.raw.join("")).not.toMatch(/reward|violation|expected_hash/);
    await player?.close();
  });

  test("OpenEnv's state and Eval Protocol's info show every part of the grade", async () => {
    await using trainer = await train(broadbandSupport());
    await trainer.reset({ task_id: id });
    for (const [tool_name, input] of plan.map(callOf)) await trainer.step({ tool_name, arguments: input });
    expect(await trainer.state()).toMatchObject({
      task_id: id,
      level: 2,
      end: { reason: "closed" },
      grade: { reward: 1, parts: { database: 1, service: 1, communication: 1, policy: 1 }, violations: [] },
    });
  });

  test("MCP lists tools with descriptions and strict schemas, and the policy", async () => {
    await using environment = broadbandSupport();
    await using client = await connect(environment);
    const tools = await client.listTools();
    expect(tools.length).toBeGreaterThan(25);
    expect(tools.filter(({ description = "" }) => description.length < 20)).toEqual([]);
    expect(tools.filter(({ inputSchema }) => inputSchema["additionalProperties"] !== false)).toEqual([]);
    const { contents } = await client.readResource("larkspur://policy");
    expect(contents[0]).toMatchObject({ text: expect.stringContaining("## 4. Refunds") });
  });
});

test("the gallery lists it, and the seed selects a task of the split train", async () => {
  await using environment = gallery["broadband-support"]();
  const ids = await Promise.all(
    [1, 2, 3, 4, 1].map(async (seed) => infoOf(environment, await environment.start({ seed })).task_id),
  );
  expect(ids[4]).toBe(ids[0]);
  expect(new Set(ids).size).toBeGreaterThan(2);
  expect(ids.map((id) => taskNamed(id).split)).toEqual(ids.map(() => "train"));
  const hard = await environment.start({ seed: 5, config: { level: 3 } });
  expect(taskNamed(infoOf(environment, hard).task_id).level).toBe(3);
  await expect(environment.start({ config: { task_id: "nonsense" } })).rejects.toThrow(
    'broadband-support has no task "nonsense". The splits train, test and all list the tasks.',
  );
});

describe("each part of the grade is shown", () => {
  const partsOf = async (id: string, steps: SupportTask["plan"]) => {
    await using environment = broadbandSupport();
    const episode = await play(environment, taskNamed(id), steps);
    return infoOf(environment, episode).grade;
  };

  test("a wrong database, with what was expected", async () => {
    const { plan } = taskNamed("outage-credit");
    const steps = plan.map((step) =>
      typeof step !== "string" && step[0] === "credit_add" ? ([step[0], { ...step[1], amount: 5 }] as const) : step,
    );
    expect(await partsOf("outage-credit", steps)).toMatchObject({
      reward: 0,
      parts: { database: 0, service: 1, communication: 1, policy: 1 },
      changes: { credits: [{ amount: 5 }] },
      expected_changes: { credits: [{ amount: 3.6 }] },
    });
  });

  test("a service that does not work", async () => {
    const { plan } = taskNamed("restart");
    expect(
      await partsOf(
        "restart",
        plan.filter((step) => step !== "Please restart the router."),
      ),
    ).toMatchObject({
      reward: 0,
      parts: { database: 1, service: 0, communication: 1, policy: 1 },
    });
  });

  test("a fact that was not said", async () => {
    const { plan } = taskNamed("invoice-amount");
    const steps = plan.map((step) => (typeof step === "string" && step.includes("49") ? "It was 49 euros." : step));
    expect(await partsOf("invoice-amount", steps)).toMatchObject({
      reward: 0,
      parts: { communication: 0 },
      told: [
        { fact: 49, said: true },
        { fact: "2026-03-15", said: false },
      ],
    });
  });

  test.each([
    ["identity", "invoice-amount", [["invoice_list", { customer_id: "C-1005" }]]],
    [
      "identity",
      "upgrade",
      [["customer_verify", { customer_id: "C-1006", postcode: "22740", birth_date: "1988-12-24" }]],
    ],
    ["privacy", "upgrade", ["You live at 9 Station Road, right?"]],
    ["task", "old-double-charge", [["invoice_refund", { invoice_id: "I-3090", amount: 30, reason: "duplicate_item" }]]],
    ["limit", "large-refund", [["invoice_refund", { invoice_id: "I-3072", amount: 189, reason: "cancelled_order" }]]],
    ["limit", "long-outage", [["credit_add", { customer_id: "C-1028", amount: 40, reason: "outage" }]]],
    ["fault", "restart", [["visit_book", { line_id: "L-2001", slot: "2026-03-18 morning" }]]],
    ["agreement", "upgrade", [["plan_change", { line_id: "L-2006", plan: "home-500", effective: "now", fee: 0 }]]],
  ] satisfies [string, string, SupportTask["plan"]][])("a violation of %s in %s", async (rule, id, steps) => {
    await using environment = broadbandSupport();
    const task = taskNamed(id);
    const isAfterCheck = !["identity", "privacy"].includes(rule);
    const episode = await play(environment, task, [...(isAfterCheck ? task.plan.slice(0, 2) : []), ...steps]);
    expect(infoOf(environment, episode).violations).toContainEqual({ rule, detail: expect.any(String) });
  });
});

test("errors say what to do, change nothing, and too many of them end the episode", async () => {
  await using environment = broadbandSupport();
  const { url } = await environment.serve("http://127.0.0.1:0");
  const episode = await environment.start({ config: { task_id: "upgrade", max_errors: 3 } });
  await using client = await connect(`${url}/e/${episode.id}/mcp`);
  const calls = [
    ["line_get", { line_id: "L-2999" }, /There is no line L-2999\. .*customer_get lists the lines/],
    ["customer_find", { by: "email", value: "nobody@mail.example" }, /Ask the customer to spell it/],
    [
      "plan_change",
      { line_id: "L-2001", plan: "max-1000", effective: "now", fee: 0 },
      /copper line, which carries at most 250/,
    ],
  ] as const;
  for (const [name, input, message] of calls) {
    const { content, isError } = await client.callTool(name, input);
    expect([isError, JSON.stringify(content)]).toEqual([true, expect.stringMatching(message)]);
  }
  expect(episode).toMatchObject({ truncated: true, terminated: false, totalReward: 0 });
  expect(infoOf(environment, episode)).toMatchObject({ end: { reason: "too_many_errors" }, grade: null });
});

test("too many steps end the episode", async () => {
  await using environment = broadbandSupport();
  const episode = await environment.start({ config: { task_id: "upgrade", max_steps: 2 } });
  await environment.call(episode, "plan_list");
  await environment.call(episode, "message_customer", { message: "One moment." });
  expect(episode).toMatchObject({ truncated: true, totalReward: 0 });
});

describe("a simulator as the customer", () => {
  const task = taskNamed("cable-then-restart");

  test("sees the conversation from its side, uses its tools, and leaves", async () => {
    const turns = [
      { calls: [{ name: "plug_in_cable", arguments: {} }] },
      { calls: [{ name: "restart_router", arguments: {} }] },
      { text: "It works. Yes, thanks! ###STOP###" },
    ];
    const views: Parameters<UserSimulator>[0][] = [];
    const user: UserSimulator = (view) => Promise.resolve(turns[views.push(view) - 1] ?? {});
    await using environment = broadbandSupport({ user });
    const episode = await environment.start({ config: { task_id: task.id } });
    expect(await environment.call(episode, "message_customer", { message: "Cable, then restart, please." })).toBe(
      "It works. Yes, thanks!",
    );
    expect(views[0]?.tools.map((tool) => tool.function.name)).toContain("check_lights");
    expect(views[0]?.messages[0]?.content).toContain("You are Tom Whitaker");
    expect(views[2]?.messages.slice(1)).toMatchObject([
      { role: "user" },
      { role: "assistant", content: "No internet." },
      { role: "user", content: "Cable, then restart, please." },
      { role: "assistant", tool_calls: [{ function: { name: "plug_in_cable" } }] },
      { role: "tool", content: expect.stringContaining("The cable was loose") },
      { role: "assistant", tool_calls: [{ function: { name: "restart_router" } }] },
      { role: "tool", content: expect.stringContaining("works again") },
    ]);
    const { url } = await environment.serve("http://127.0.0.1:0");
    await using client = await connect(`${url}/e/${episode.id}/mcp`);
    expect(await client.callTool("message_customer", { message: "Hello?" })).toMatchObject({
      isError: true,
      content: [{ text: "The customer has left. Use contact_close or contact_transfer." }],
    });
  });

  test("that fails masks this episode only", async () => {
    let isBroken = true;
    const user: UserSimulator = () =>
      isBroken ? Promise.reject(new Error("The model is away")) : Promise.resolve({ text: "All right." });
    await using environment = broadbandSupport({ user });
    const broken = await environment.start({ config: { task_id: task.id } });
    await environment.call(broken, "plan_list");
    await environment.call(broken, "message_customer", { message: "Hello" });
    expect(broken).toMatchObject({
      terminated: true,
      totalReward: null,
      failure: { kind: "simulator", message: "The model is away", masked: true },
    });
    isBroken = false;
    const next = await environment.start({ config: { task_id: task.id } });
    await environment.call(next, "message_customer", { message: "Hello" });
    expect(next).toMatchObject({ terminated: false, totalReward: 0, failure: undefined });
  });

  test("is a model behind a URL: its calls are made at home, and its failures mask", async () => {
    const said = [{ calls: [{ name: "check_lights", arguments: "" }] }, { content: "The internet light is off." }];
    await using server = await ModelServer.open({
      say: () => said.shift() ?? {},
      trouble: (request) => (request > 1 ? 400 : undefined),
    });
    const user = modelCustomer({ model: "customer-1", baseUrl: server.baseUrl, retries: 0 });
    await using environment = gallery["broadband-support"]({ user });
    const episode = await environment.start({ config: { task_id: task.id } });
    const ask = () => environment.call(episode, "message_customer", { message: "What do you see?" });
    expect(await ask()).toBe("The internet light is off.");
    expect(server.asked[1]?.messages.at(-1)).toMatchObject({
      role: "tool",
      content: "The power light is green, and the internet light is off.",
    });
    expect(server.asked[0]).toMatchObject({ model: "customer-1", temperature: 0 });
    await ask();
    expect(episode).toMatchObject({ totalReward: null, failure: { kind: "simulator", masked: true } });
  });

  test("gets a prompt with all that the task says", () => {
    for (const each of supportTasks) {
      const prompt = customerPrompt(each, newContact(each));
      const { knows = {}, refuses = {}, decides = [], later = [] } = each;
      const told = [...Object.values(knows), ...Object.values(refuses), ...decides.map(({ says }) => says), ...later];
      expect([each.id, told.filter((text) => !prompt.includes(text))]).toEqual([each.id, []]);
    }
  });
});

test("an error of the evaluator masks one task, and the others are graded", async () => {
  const good = taskNamed("upgrade");
  const broken: SupportTask = { ...good, id: "broken", plan: [["line_get", { line_id: "L-2999" }]] };
  await using environment = broadbandSupport({ tasks: [good, broken] });
  const failed = await play(environment, broken, good.plan);
  expect(failed).toMatchObject({
    terminated: true,
    totalReward: null,
    failure: { kind: "judge", message: expect.stringContaining("The plan of broken fails at line_get"), masked: true },
  });
  expect((await play(environment, good, good.plan)).totalReward).toBe(1);
});
