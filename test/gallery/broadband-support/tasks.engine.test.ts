import { readFileSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import { broadbandSupport } from "biplane/gallery";
import { supportTasks } from "../../../packages/gallery/src/broadband-support/tasks/support-tasks.ts";
import { supportTools } from "../../../packages/gallery/src/broadband-support/tools/support-tools.ts";
import { statesFact } from "../../../packages/gallery/src/broadband-support/states-fact.ts";
import type { PlanStep } from "../../../packages/gallery/src/broadband-support/support-task.ts";
import { infoOf, play, randomSteps } from "./agents.ts";

const environment = broadbandSupport();
afterAll(() => environment.close());

const isMessage = (step: PlanStep) => typeof step === "string";

test("there are at least 60 tasks of three levels in two splits, and at least 15 tools", () => {
  const count = (pick: (task: (typeof supportTasks)[number]) => boolean) => supportTasks.filter(pick).length;
  expect(supportTasks.length).toBeGreaterThanOrEqual(60);
  expect(new Set(supportTasks.map(({ id }) => id)).size).toBe(supportTasks.length);
  for (const level of [1, 2, 3])
    for (const split of ["train", "test"])
      expect(count((task) => task.level === level && task.split === split)).toBeGreaterThan(4);
  expect(Object.keys(supportTools).length).toBeGreaterThanOrEqual(15);
});

describe.each(supportTasks.map((task) => [task.id, task] as const))("%s", (_, task) => {
  test("its plan gets the reward, twice with the same result", async () => {
    const first = await play(environment, task, task.plan);
    const info = infoOf(environment, first);
    expect(info.grade).toMatchObject({
      parts: { database: 1, service: 1, communication: 1, policy: 1 },
      violations: [],
    });
    expect(first).toMatchObject({ terminated: true, totalReward: 1, stepCount: task.plan.length });
    const second = await play(environment, task, task.plan);
    expect(second.state).toEqual(first.state);
  });

  test("its plan in other words gets the reward too", async () => {
    const plan = task.plan.map((step) => (typeof step === "string" ? inOtherWords(step) : step));
    expect((await play(environment, task, plan)).totalReward).toBe(1);
  });

  test("without a change or a required statement, it does not", async () => {
    const passing: string[] = [];
    const attempt = async (name: string, steps: readonly PlanStep[]) => {
      if ((await play(environment, task, steps)).totalReward !== 0) passing.push(name);
    };
    for (const [index, step] of task.plan.entries()) {
      if (typeof step === "string" || !supportTools[step[0]]?.writes) continue;
      await attempt(`without ${step[0]}`, task.plan.toSpliced(index, 1));
    }
    for (const fact of task.tell ?? []) {
      const silenced = task.plan.map((step) =>
        typeof step === "string" && statesFact(step, fact) ? "All right." : step,
      );
      await attempt(`without saying ${String(fact)}`, silenced);
    }
    await attempt(
      "without a word",
      task.plan.filter((step) => !isMessage(step)),
    );
    expect(passing).toEqual([]);
  });

  test("an agent that does nothing, or only checks the identity, apologises, transfers or closes, gets nothing", async () => {
    const { customer: id } = task;
    const outcomes = ["solved", "declined", "unverified"];
    const teams = ["billing", "security", "moves", "care", "legal"];
    const ends: PlanStep[] = [null, id].flatMap((customer) => [
      ...outcomes.map((outcome) => ["contact_close", { customer_id: customer, outcome }] as const),
      ...teams.map((team) => ["contact_transfer", { customer_id: customer, team }] as const),
    ]);
    const polite = "I am sorry. I cannot help you with that. Is there anything else I can do for you?";
    const check = task.plan.slice(0, task.plan.findLastIndex(([name]) => name === "customer_verify") + 1);
    const lazy = [[], [polite], check, [...check, polite]].flatMap((steps) => [
      steps,
      ...ends.map((end) => [...steps, end]),
    ]);
    for (const steps of lazy) expect([steps, (await play(environment, task, steps)).totalReward]).toEqual([steps, 0]);
  });

  test("an agent that makes random calls gets nothing", async () => {
    const [last] = task.plan.slice(-1);
    for (let seed = 0; seed < randomEpisodes; seed++) {
      const steps = [...randomSteps(seed, 40), ...(last === undefined ? [] : [last])];
      expect([seed, (await play(environment, task, steps)).totalReward]).toEqual([seed, 0]);
    }
  });
});

function inOtherWords(message: string): string {
  return otherWords.reduce((text, [from, to]) => text.replaceAll(from, to), message);
}

const otherWords = [
  ["May I have your customer number", "To find your account, could you give me your customer ID"],
  ["Which email address is on the account?", "What e-mail do we have for you?"],
  ["your postcode", "the postal code of your address"],
  ["your date of birth", "when you were born"],
  ["Is there anything else I can do for you?", "Can I help you with anything else today?"],
  ["Shall I", "Would you like me to"],
  ["Do you agree?", "Is that okay for you?"],
  ["Please restart the router", "Could you switch the router off and on again"],
  ["Should it be delivered to your home or to a pickup point?", "Where should we deliver it: home or pick-up point?"],
] as const;

const randomEpisodes = process.env["BIPLANE_SOAK"] === "1" ? 100 : 5;

test("the document has the right numbers", () => {
  const text = readFileSync(new URL("../../../docs/broadband-support.md", import.meta.url), "utf8");
  const rows = Array.from(text.matchAll(/^\| ([123]) +\| (\d+) +\| (\d+) +\| (\d+) +\|.*\| ([\d.]+) +\|$/gm), (row) =>
    row.slice(1).map(Number),
  );
  const expected = [1, 2, 3].map((level) => {
    const tasks = supportTasks.filter((task) => task.level === level);
    const train = tasks.filter(({ split }) => split === "train").length;
    const steps = tasks.reduce((sum, { plan }) => sum + plan.length, 0) / tasks.length;
    return [level, tasks.length, train, tasks.length - train, Number(steps.toFixed(1))];
  });
  expect(rows).toEqual(expected);
  expect(text).toContain(`| ${supportTasks.length} on three levels`);
  expect(text).toContain(`| ${Object.keys(supportTools).length + 1}: \`message_customer\``);
});
