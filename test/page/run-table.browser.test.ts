import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { environment } from "biplane";
import { scriptedAgent } from "../../packages/biplane/src/rollout/agent/scripted.ts";
import { seedRows } from "../../packages/biplane/src/rollout/row.ts";
import { compareRuns } from "../../packages/biplane/src/rollout/score/compare.ts";
import { scoreTraces, totalReward } from "../../packages/biplane/src/rollout/score/scorer.ts";
import { summarize } from "../../packages/biplane/src/rollout/score/summary.ts";
import { readTraces } from "../../packages/biplane/src/store/runs/rollouts.ts";
import { describeRun } from "../../packages/biplane/src/store/runs/run.ts";
import { saveScoring } from "../../packages/biplane/src/store/runs/scores.ts";
import { playAll } from "../rollout/playing.ts";
import { openChromium } from "../support/chromium.ts";
import { lookAt, openPageGateway } from "../support/page.ts";
import type { PageGateway } from "../support/page.ts";
import { expectUsable, hostile } from "./run-data.ts";

let browser: Browser;
let gateway: PageGateway;

/** A game that is worth what its agent's model makes of a row, with two parts. */
function quiz(worth: (index: number) => number) {
  return environment({
    name: "quiz",
    version: "1",
    start: () => ({ worth: 0, isOver: false }),
    observe: ({ isOver }) => ({ isOver }),
    tools: (define) => ({
      answer: define({
        input: { type: "object", properties: { row: { type: "integer" } }, required: ["row"] },
        run: ({ row }, call) => {
          call.state.worth = worth(row);
          call.state.isOver = true;
        },
      }),
    }),
    reward: ({ after }) => ({ facts: after.worth * 0.75, style: after.worth * 0.25 }),
    status: ({ isOver }) => ({ terminated: isOver }),
  });
}

async function play(run: string, model: string, worth: (index: number) => number): Promise<void> {
  await using game = quiz(worth);
  const agent = scriptedAgent(
    (_, { index }) => ({
      message: {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "1", type: "function", function: { name: "answer", arguments: `{"row":${index}}` } }],
      },
      finishReason: "tool_calls",
      cost: 0.001,
      usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
    }),
    { name: "solver", model },
  );
  await playAll(game, seedRows([0, 1, 2, 3, 4]), { agent, store: gateway.store, run });
  const scored = await scoreTraces(await readTraces(gateway.store, run), ({ index }) => ({
    score: worth(index),
    reason: "graded",
    metrics: { tone: { score: 1, reason: "calm" } },
  }));
  await saveScoring(gateway.store, run, { name: "judge", scorer: "judge.ts", scored, summary: summarize(scored) });
}

beforeAll(async () => {
  [browser, gateway] = await Promise.all([openChromium(), openPageGateway({ served: [quiz(() => 0)] })]);
  await play("quiz-a", "small", (row) => (row < 2 ? 1 : 0));
  await play("quiz-b", "large", (row) => (row === 1 ? 0 : 1));
  await play("quiz-c", "flat", () => 0.0005);
  await using game = quiz(() => 0);
  const away = scriptedAgent(
    () => {
      throw Object.assign(new Error("The model is away."), { status: 503 });
    },
    { name: "openai", model: "absent" },
  );
  await playAll(game, seedRows([0, 1]), { agent: away, store: gateway.store, run: "quiz-failed" });
}, 120_000);

afterAll(async () => {
  await browser?.close();
  await gateway?.[Symbol.asyncDispose]();
});

const runs = (page: Page) => page.getByRole("table", { name: "Runs" }).locator("tbody tr");
const ids = async (page: Page) =>
  (await runs(page).allTextContents()).map((text) => /quiz-(failed|[a-c])/.exec(text)?.[0]);

describe("the table of runs", () => {
  test("is sorted by its headings, and by a choice on a phone", async () => {
    await using look = await lookAt(browser, gateway, { hash: "#/runs" });
    const { page, problems } = look;
    await runs(page).first().waitFor();
    await expect.poll(() => ids(page)).toEqual(["quiz-failed", "quiz-c", "quiz-b", "quiz-a"]);
    await page
      .getByRole("row", { name: /quiz-failed/ })
      .getByRole("cell", { name: "failed", exact: true })
      .waitFor();
    const heading = page.getByRole("columnheader", { name: "Reward" });
    await heading.getByRole("button").click();
    await expect.poll(() => ids(page)).toEqual(["quiz-b", "quiz-a", "quiz-c", "quiz-failed"]);
    await expect.poll(() => heading.getAttribute("aria-sort")).toBe("descending");
    await heading.getByRole("button").click();
    await expect.poll(() => ids(page)).toEqual(["quiz-c", "quiz-a", "quiz-b", "quiz-failed"]);
    await page.getByRole("button", { name: "Model" }).click();
    await expect.poll(() => ids(page)).toEqual(["quiz-failed", "quiz-c", "quiz-b", "quiz-a"]);
    await expect.poll(() => page.url()).toContain("order=model");
    // A small value is not 0.
    await page
      .getByRole("row", { name: /quiz-c/ })
      .getByText("0.0005")
      .first()
      .waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole("button", { name: "Filters" }).click();
    await page.getByLabel("Order").selectOption("-reward");
    await expect.poll(() => ids(page)).toEqual(["quiz-b", "quiz-a", "quiz-c", "quiz-failed"]);
    // A phone shows what identifies a run: name, model and reward, and the status of a run that did not finish.
    const row = await page.getByRole("row", { name: /quiz-b/ }).innerText();
    for (const shown of ["quiz", "large", "0.8"]) expect(row).toContain(shown);
    expect(row).not.toContain("finished");
    const failed = page.getByRole("row", { name: /quiz-failed/ });
    expect(await failed.innerText()).toContain("all 2 rollouts");
    await failed.getByText("failed", { exact: true }).first().waitFor();
    await expectUsable(page);
    expect(problems).toEqual([]);
  }, 60_000);

  test("is filtered, and shows the trend of a target", async () => {
    await using look = await lookAt(browser, gateway, { hash: "#/runs" });
    const { page, problems } = look;
    await page.getByLabel("Filter by statuses").selectOption("failed");
    await expect.poll(() => ids(page)).toEqual(["quiz-failed"]);
    await page.getByRole("button", { name: "Clear filters" }).click();
    await page.getByLabel("Filter by models").selectOption("large");
    await expect.poll(() => ids(page)).toEqual(["quiz-b"]);
    await page.getByRole("button", { name: "Clear filters" }).click();
    await page.getByLabel("Filter by targets").selectOption("quiz");
    const chart = page.getByRole("group", { name: "Reward of 3 runs" });
    await chart.waitFor();
    await describeRun(gateway.store, "quiz-a", { tags: ["baseline"] });
    await page.reload();
    await chart.getByRole("link", { name: /^Baseline quiz: 0.4/ }).waitFor();
    await page.getByRole("radio", { name: "By tag" }).check({ force: true });
    await page.getByText("no tag").waitFor();
    await describeRun(gateway.store, "quiz-a", { tags: [] });
    await page.reload();
    await chart.getByRole("link", { name: /^quiz, small: 0.4/ }).waitFor();
    await page.getByText("Cost", { exact: true }).first().click();
    await page.getByRole("group", { name: "Cost of 3 runs" }).waitFor();
    await page.getByText("Reward", { exact: true }).first().click();
    await expectUsable(page);
    await page.setViewportSize({ width: 1280, height: 800 });
    await chart.getByRole("link", { name: /^quiz, large: 0.8/ }).click();
    await page.getByText("quiz-b").first().waitFor();
    expect(problems).toEqual([]);
  }, 60_000);

  test("names, tags and deletes runs, and shows hostile names as text", async () => {
    await play("to-delete", "temporary", () => 1);
    await using look = await lookAt(browser, gateway, { hash: "#/runs" });
    const { page, problems } = look;
    await page
      .getByRole("row", { name: /to-delete/ })
      .getByRole("checkbox")
      .check();
    const selection = page.getByRole("region", { name: "Selected runs" });
    await selection.getByText("1 run selected").waitFor();
    await selection.getByRole("button", { name: "Name and tags" }).click();
    const name = `${hostile.html}${hostile.direction}`.slice(0, 200);
    await page.getByRole("textbox", { name: "Name" }).fill(name);
    await page.getByRole("textbox", { name: "Tags" }).fill(`nightly, ${hostile.html.slice(0, 60)}`);
    await page.getByRole("button", { name: "Save" }).click();
    const row = page.getByRole("row", { name: /to-delete/ });
    await row.getByText("<img src=x").first().waitFor();
    await row.getByText("nightly").first().waitFor();
    expect(await page.locator(".main img, .main script").count()).toBe(0);
    await page.getByLabel("Filter by tags").waitFor();
    await expectUsable(page);
    await page.setViewportSize({ width: 1280, height: 800 });
    await row.getByRole("link").click();
    await page.getByRole("button", { name: "Delete this run" }).click();
    await page.getByRole("dialog").getByText("5 rollouts with traces").waitFor();
    await expectUsable(page);
    await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText("Deleted 1 run").waitFor();
    await runs(page).first().waitFor();
    expect(await page.getByRole("row", { name: /to-delete/ }).count()).toBe(0);
    expect(await page.evaluate(() => "pwned" in globalThis)).toBe(false);
    expect(problems).toEqual([]);
  }, 90_000);

  test("has no buttons that change runs for a person who may only look", async () => {
    await gateway.people.add({ name: "viewer", passphrase: "correct horse battery staple", scopes: ["runs"] });
    await using look = await lookAt(browser, gateway, { hash: "#/runs", as: "viewer" });
    const { page } = look;
    await page
      .getByRole("row", { name: /quiz-a/ })
      .getByRole("checkbox")
      .check();
    await page.getByRole("region", { name: "Selected runs" }).waitFor();
    expect(await page.getByRole("button", { name: /Delete|Name and tags/ }).count()).toBe(0);
  });
});

describe("selected runs", () => {
  test("are compared: means, intervals, wins, parts, endings and the rows that changed first", async () => {
    await using look = await lookAt(browser, gateway, { hash: "#/runs?order=name" });
    const { page, problems } = look;
    for (const id of ["quiz-a", "quiz-b"])
      await page
        .getByRole("row", { name: new RegExp(id) })
        .getByRole("checkbox")
        .check();
    await page.getByRole("link", { name: "Compare" }).click();
    const compared = page.getByRole("table", { name: "Compared runs" }).locator("tbody tr");
    await expect.poll(() => compared.count()).toBe(2);
    // The order of the table decides which run is the first.
    const [first = "", second = ""] = (await compared.allTextContents()).map(
      (text) => /quiz-[ab]/.exec(text)?.[0] ?? "",
    );
    const scored = async (run: string) => scoreTraces(await readTraces(gateway.store, run), totalReward);
    const { difference, better, worse, equal } = compareRuns(await scored(first), await scored(second));
    const cells = await compared.nth(1).innerText();
    const mean = Number(difference.mean);
    expect(cells).toContain(`${mean > 0 ? "+" : "−"}${Math.abs(mean).toFixed(1)}`);
    expect(cells).toContain(`${better} better, ${equal} equal, ${worse} worse`);
    const parts = page.getByRole("table", { name: "Parts by run" });
    await parts.getByRole("row", { name: /^facts/ }).waitFor();
    await page
      .getByRole("table", { name: "Endings by run" })
      .getByRole("row", { name: /environment ended/ })
      .waitFor();
    const rows = page.getByRole("table", { name: "Rows by run" }).locator("tbody tr");
    await expect.poll(() => rows.count()).toBe(5);
    await page.getByText("4 of 5 rows changed").waitFor();
    await expect.poll(() => rows.last().innerText()).toContain("seed_0");
    await page.getByLabel("What to compare").selectOption("judge");
    await parts.getByRole("row", { name: /^tone/ }).waitFor();
    await page.getByRole("searchbox", { name: "Search rows" }).fill("seed_3");
    await expect.poll(() => rows.count()).toBe(1);
    await expectUsable(page);
    await page.setViewportSize({ width: 1280, height: 800 });
    await rows.first().getByRole("link").click();
    await page.getByRole("heading", { name: "Compare rollouts" }).waitFor();
    expect(problems).toEqual([]);
  }, 60_000);
});

test("charts of constant and of tiny rewards have axes that tell them apart", async () => {
  await using look = await lookAt(browser, gateway, { hash: "#/runs/quiz-c" });
  const { page, problems } = look;
  const chart = page.getByRole("img", { name: /^Reward by rollout/ });
  await chart.waitFor();
  const shown = async () => (await chart.locator("text").allTextContents()).filter((text) => text !== "");
  await expect.poll(shown).toContain("0.0002");
  const labels = await shown();
  expect(new Set(labels).size).toBe(labels.length);
  await page.getByRole("button", { name: "Reward 0.0005: 5" }).waitFor();
  await page.goto(`${gateway.url}/#/runs/quiz-failed`);
  await page
    .getByRole("alert")
    .getByText(/^All \d+ rollouts failed\.$/)
    .waitFor();
  // One banner says why, instead of each row and three empty charts.
  expect(await page.getByText("No rollout has a reward yet.").count()).toBe(0);
  expect(await page.getByRole("columnheader", { name: "Ending" }).count()).toBe(0);
  expect(await page.getByText("Mean reward").count()).toBe(0);
  await page.getByRole("alert").getByText("biplane rollout --resume").waitFor();
  const command = "biplane rollout quiz --model absent --number 2 --repetitions 1 --steps 512 --retries 3";
  await page.getByRole("alert").getByText(command).waitFor();
  await page.getByRole("table", { name: /rollouts/i }).waitFor();
  expect(problems).toEqual([]);
});
