import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { environment } from "biplane";
import { frozenLake } from "../../packages/gallery/src/frozen-lake/frozen-lake.ts";
import { scriptedAgent } from "../../packages/biplane/src/rollout/agent/scripted.ts";
import { scoreTraces, success } from "../../packages/biplane/src/rollout/score/scorer.ts";
import { summarize } from "../../packages/biplane/src/rollout/score/summary.ts";
import { readTraces } from "../../packages/biplane/src/store/runs/rollouts.ts";
import { describeRun } from "../../packages/biplane/src/store/runs/run.ts";
import { saveScoring } from "../../packages/biplane/src/store/runs/scores.ts";
import { seedRows } from "../../packages/biplane/src/rollout/row.ts";
import { playAll } from "../rollout/playing.ts";
import { openChromium } from "../support/chromium.ts";
import { lookAt, openPageGateway } from "../support/page.ts";
import type { PageGateway } from "../support/page.ts";
import { expectUsable, hostileWorld, playHostile, playLake } from "./run-data.ts";

let browser: Browser;
let gateway: PageGateway;

beforeAll(async () => {
  [browser, gateway] = await Promise.all([openChromium(), openPageGateway({ served: [frozenLake(), hostileWorld()] })]);
  await playLake(gateway.store);
  await playHostile(gateway.store);
}, 120_000);

afterAll(async () => {
  await browser?.close();
  await gateway?.[Symbol.asyncDispose]();
});

const rollouts = (page: Page) => page.getByRole("table", { name: "Rollouts" }).locator("tbody tr");

/** Opens a rollout of a run by its number, as one would by hand. */
async function openRollout(page: Page, index: number): Promise<void> {
  await rollouts(page).nth(index).getByRole("link").click();
  await page.getByRole("heading", { level: 1, name: `#${index}` }).waitFor();
  await page.getByRole("slider", { name: "Step" }).waitFor();
}

describe("the list of runs", () => {
  test("shows a run while another process plays it, and filters by text", async () => {
    await using look = await lookAt(browser, gateway, { hash: "#/runs" });
    const { page, problems } = look;
    await page.getByRole("row", { name: /walk by chance.*frozen-lake/ }).waitFor();
    let mayEnd: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => (mayEnd = resolve));
    const slow = scriptedAgent(async (_, { index }) => {
      if (index === 1) await ended;
      return "done";
    });
    const played = playAll(frozenLake(), seedRows([1, 2]), { agent: slow, store: gateway.store, run: "live-run" });
    const row = page.getByRole("row", { name: /live-run/ });
    await row.getByRole("cell", { name: "running" }).waitFor();
    await row.getByText("1 of 2").waitFor();
    await row.getByRole("link").click();
    const underWay = page.getByRole("table", { name: "Rollouts in progress" });
    await underWay.getByText("seed_2").waitFor();
    await page.goBack();
    mayEnd();
    await played;
    await row.getByRole("cell", { name: "finished" }).waitFor();
    await page.getByRole("searchbox").fill("hostile");
    await expect.poll(() => row.count()).toBe(0);
    await expect.poll(() => page.url()).toContain("query=hostile");
    expect(problems).toEqual([]);
  });

  test("shows and finds the tags of a run, and the run shows what scorers said", async () => {
    await describeRun(gateway.store, "random-lake", { tags: ["baseline", "nightly <b>"] });
    const scored = await scoreTraces(await readTraces(gateway.store, "random-lake"), success);
    const scoring = { scorer: "success", scored, summary: summarize(scored) };
    await saveScoring(gateway.store, "random-lake", { name: "won", ...scoring });
    await using look = await lookAt(browser, gateway, { hash: "#/runs" });
    const { page, problems } = look;
    await page.getByRole("searchbox").fill("nightly");
    const rows = page.getByRole("table", { name: "Runs" }).locator("tbody tr");
    await expect.poll(() => rows.count()).toBe(1);
    await rows.getByText("nightly <b>").first().waitFor();
    await rows.getByRole("link").click();
    await page.getByRole("heading", { level: 1, name: "walk by chance" }).waitFor();
    await page.getByRole("main").getByText("baseline", { exact: true }).waitFor();
    const kept = page.getByRole("table", { name: "Scores" }).getByRole("row", { name: /^won success/ });
    await kept.waitFor();
    await expect.poll(() => kept.innerText()).toContain(Number(scoring.summary.mean).toFixed(3));
    const heading = page.getByRole("table", { name: "Rollouts" }).getByRole("columnheader", { name: "Score" });
    await expect.poll(() => heading.getAttribute("title")).toBe("Scoring won");
    const won = scored.filter(({ score }) => score.score === 1).length;
    await expect.poll(() => rollouts(page).locator("td:nth-child(3)", { hasText: /^1$/ }).count()).toBe(won);
    expect(problems).toEqual([]);
    await expectUsable(page);
  });

  test("says what to run where there is none", async () => {
    await using empty = await openPageGateway({ served: [frozenLake()] });
    await using look = await lookAt(browser, empty, { hash: "#/runs" });
    await look.page.getByText("biplane rollout --env frozen-lake --agent random -n 20").waitFor();
    expect(look.problems).toEqual([]);
  });
});

describe("a run", () => {
  test("shows its figures, and its charts filter its rollouts", async () => {
    await using look = await lookAt(browser, gateway, { hash: "#/runs/random-lake" });
    const { page, problems } = look;
    await expect.poll(() => rollouts(page).count()).toBe(30);
    await page.getByText("pass@1").waitFor();
    await page.getByTitle("A rollout passes with a reward of at least 0.5").waitFor();
    await page.getByText("walk by chance", { exact: true }).waitFor();
    const column = page.getByRole("button", { name: /^Reward 1: \d+$/ });
    const won = Number((await column.getAttribute("aria-label"))?.split(": ")[1]);
    await column.click();
    await expect.poll(() => rollouts(page).count()).toBe(won);
    await expect.poll(() => page.url()).toContain("least=1&most=1");
    await column.click();
    await expect.poll(() => rollouts(page).count()).toBe(30);
    await page.getByRole("button", { name: "Steps" }).click();
    await expect.poll(() => page.url()).toContain("order=-steps");
    await page.goto(`${gateway.url}/#/runs/scripted-lake`);
    await page.getByRole("button", { name: /error: model/ }).click();
    await expect.poll(() => rollouts(page).count()).toBe(1);
    await rollouts(page).getByText("the model is asleep").filter({ visible: true }).waitFor();
    await page.getByRole("button", { name: "Clear" }).click();
    await expect.poll(() => rollouts(page).count()).toBe(3);
    expect(problems).toEqual([]);
  });
});

describe("a trace", () => {
  test("is gone through by key, slider and landmark, and says what each step was", async () => {
    await using look = await lookAt(browser, gateway, { hash: "#/runs/scripted-lake" });
    const { page, problems } = look;
    await openRollout(page, 0);
    const at = page.locator(".scrubber-foot [aria-live]");
    await page.getByText("Cross the lake.").waitFor();
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => at.textContent()).toBe("Step 1 of 6");
    await page.getByText("lake_move").first().waitFor();
    await page.keyboard.press("End");
    await expect.poll(() => at.textContent()).toBe("Step 6 of 6");
    await expect.poll(() => page.url()).toContain("step=6");
    await page.getByText(/Ended after 6 steps with a total reward of 1/).waitFor();
    await page.keyboard.press("Home");
    await expect.poll(() => at.textContent()).toBe("Before the first step");
    await page.getByRole("button", { name: "First reward" }).click();
    await expect.poll(() => at.textContent()).toBe("Step 6 of 6");
    await page.getByRole("slider", { name: "Step" }).fill("3");
    await expect.poll(() => at.textContent()).toBe("Step 3 of 6");
    // Space plays from here to the end.
    await page.keyboard.press("Space");
    await expect.poll(() => at.textContent(), { timeout: 10_000 }).toBe("Step 6 of 6");
    await page.goBack();
    await openRollout(page, 1);
    await page.getByRole("button", { name: "First error" }).click();
    await expect.poll(() => at.textContent()).toBe("Step 3 of 4");
    await page.getByText("failed", { exact: true }).waitFor();
    expect(problems).toEqual([]);
  });

  test("leads to the rollouts before and after it, in the order of the list", async () => {
    await using look = await lookAt(browser, gateway, { hash: "#/runs/random-lake?order=-steps&query=seed_" });
    const { page, problems } = look;
    await expect.poll(() => rollouts(page).count()).toBe(30);
    const [first = "", second = "", third = ""] = await rollouts(page).locator(".run-name .num").allTextContents();
    const shown = (name: string) => page.getByRole("heading", { level: 1, name: new RegExp(`${name}$`) }).waitFor();
    await rollouts(page).nth(1).getByRole("link").click();
    await shown(second);
    await page.getByRole("link", { name: "Next rollout" }).click();
    await shown(third);
    const previous = page.getByRole("link", { name: "Previous rollout" });
    await previous.waitFor();
    await page.keyboard.press("k");
    await shown(second);
    await page.getByRole("slider", { name: "Step" }).focus();
    await previous.waitFor();
    await page.keyboard.press("k");
    await shown(first);
    await page.getByRole("link", { name: "Next rollout" }).waitFor();
    expect(await previous.count()).toBe(0);
    await expectUsable(page);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.keyboard.press("j");
    await shown(second);
    await page.getByRole("link", { name: "walk by chance" }).click();
    await expect.poll(() => page.url()).toContain("/random-lake?query=seed_&order=-steps");
    expect(problems).toEqual([]);
  }, 60_000);

  test("is replayed up to a step, and continued from there by hand", async () => {
    await using look = await lookAt(browser, gateway, { hash: "#/runs/scripted-lake" });
    const { page, problems } = look;
    await openRollout(page, 0);
    await page.getByRole("slider", { name: "Step" }).fill("5");
    await page.getByRole("button", { name: "Replay to here" }).click();
    const dialog = page.getByRole("dialog", { name: "The replay matches" });
    await dialog.getByText("5 steps replayed.").waitFor();
    await dialog.getByRole("button", { name: "Close", exact: true }).last().click();
    await page.getByRole("button", { name: "Fork and continue" }).click();
    await page.getByText("Replayed from").waitFor();
    await expect.poll(() => page.locator(".episode-lineage").textContent()).toContain("up to step 5");
    await page.getByRole("button", { name: "Right", exact: true }).click();
    await page.getByText("This episode has ended.").waitFor();
    await page.getByRole("link", { name: "a trace" }).click();
    await page.getByText("Step 5 of 6").waitFor();
    expect(problems).toEqual([]);
  });

  test("that differs on replay says where", async () => {
    let luck = 1;
    const dice = () =>
      environment({
        name: "dice",
        version: "1.0.0",
        start: () => ({ seen: 0 }),
        observe: ({ seen }) => ({ seen }),
        tools: (tool) => ({
          die_roll: tool({
            input: { type: "object", properties: {} },
            run: (_, { state }) => ({ seen: (state.seen = luck) }),
          }),
        }),
      });
    await using other = await openPageGateway({ served: [dice()] });
    const agent = scriptedAgent([{ tool: "die_roll", input: {} }, "enough"]);
    await playAll(dice(), seedRows([1]), { agent, store: other.store, run: "dice-run" });
    luck = 2;
    await using look = await lookAt(browser, other, { hash: "#/runs/dice-run" });
    const { page, problems } = look;
    await openRollout(page, 0);
    await page.keyboard.press("End");
    await page.getByRole("button", { name: "Fork and continue" }).click();
    const dialog = page.getByRole("dialog", { name: "The replay differs" });
    await dialog.getByText(/At step 1: the observations are different/).waitFor();
    await expect.poll(() => dialog.locator(".diff-gone").textContent()).toContain('"seen": 1');
    await expect.poll(() => dialog.locator(".diff-new").textContent()).toContain('"seen": 2');
    await dialog.getByRole("button", { name: "Continue from here" }).click();
    await page.getByRole("heading", { level: 1, name: /, seed 1$/ }).waitFor();
    expect(problems).toEqual([]);
  });

  test("shows whatever agents and tools said as text, however long", async () => {
    await using look = await lookAt(browser, gateway, { hash: "#/runs/hostile-run" });
    const { page, problems } = look;
    await openRollout(page, 0);
    await page.getByText("<script>globalThis.pwned=1</script>").first().waitFor();
    await page.keyboard.press("ArrowRight");
    await page.getByRole("list", { name: "Parts of the reward" }).waitFor();
    await page.locator(".message-assistant").getByText(/more/).first().waitFor();
    await expect.poll(() => page.locator(".message-assistant .mark").allTextContents()).toContain("RLO");
    // Little of what is long is on the screen.
    expect((await page.locator(".main").textContent())?.length).toBeLessThan(60_000);
    expect(await page.locator(".main img, .main script").count()).toBe(0);
    expect(await page.evaluate(() => "pwned" in globalThis)).toBe(false);
    await expectUsable(page);
    expect(problems).toEqual([]);
  }, 60_000);
});

describe("two traces", () => {
  test("are picked, and laid side by side from where they part", async () => {
    await using look = await lookAt(browser, gateway, { hash: "#/runs/scripted-lake" });
    const { page, problems } = look;
    await page.getByRole("checkbox", { name: "Select rollout 0 to compare" }).check();
    await page.getByRole("checkbox", { name: "Select rollout 1 to compare" }).check();
    await page.getByRole("link", { name: "Compare" }).click();
    await page.getByText("Identical for 2 steps.").waitFor();
    const at = page.locator(".scrubber-foot [aria-live]");
    await expect.poll(() => at.textContent()).toBe("Step 3 of 6");
    await expect
      .poll(() => page.getByRole("region", { name: "Call" }).locator(".diff-gone").allTextContents())
      .toContainEqual(expect.stringContaining("RIGHT"));
    const steps = page.getByRole("table", { name: "Steps of both rollouts" });
    await expect.poll(() => steps.locator("tbody tr").count()).toBe(5);
    await steps.getByRole("button", { name: "2 identical steps" }).click();
    await expect.poll(() => steps.locator("tbody tr").count()).toBe(6);
    await page.keyboard.press("End");
    await expect.poll(() => at.textContent()).toBe("Step 6 of 6");
    await page.getByText("Ended before this step.").waitFor();
    await page.getByRole("button", { name: "Go to this step" }).click();
    await expect.poll(() => at.textContent()).toBe("Step 3 of 6");
    await expectUsable(page);
    expect(problems).toEqual([]);
  }, 60_000);

  test("are shown one at a time on a phone, with both sides of a step below each other, and nothing is cut off", async () => {
    await using look = await lookAt(browser, gateway, { hash: "#/runs/scripted-lake" });
    const { page, problems } = look;
    await page.getByRole("checkbox", { name: "Select rollout 0 to compare" }).check();
    await page.getByRole("checkbox", { name: "Select rollout 1 to compare" }).check();
    await page.getByRole("link", { name: "Compare" }).click();
    await page.getByText("Identical for 2 steps.").waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    const both = page.getByRole("table", { name: "Both rollouts", exact: true });
    await both.waitFor();
    expect(
      await both
        .getByRole("row", { name: /^Reward/ })
        .getByRole("cell")
        .allInnerTexts(),
    ).toHaveLength(2);
    const shown = async () =>
      (await page.locator(".card h2").allInnerTexts()).map((title) => title.replaceAll(/\s+/g, " "));
    const choose = (title: string) => page.getByRole("radio", { name: title }).check({ force: true });
    expect(await shown()).toEqual(["Both rollouts", "A seed_42 #0", "Steps"]);
    await choose("seed_42 #1");
    await expect.poll(shown).toEqual(["Both rollouts", "B seed_42 #1", "Steps"]);
    await page.getByRole("button", { name: "Next step" }).click();
    await expect.poll(shown).toEqual(["Both rollouts", "B seed_42 #1", "Steps"]);
    await page.getByRole("button", { name: "Previous step" }).click();
    await choose("Differences");
    await expect.poll(shown).toEqual(["Both rollouts", "Differences", "Steps"]);
    const step = page.getByRole("row").filter({ has: page.getByRole("button", { name: "Go to step 3" }) });
    await expect.poll(() => step.innerText()).toMatch(/3\s+A\s+lake_move RIGHT[^]*B\s+lake_move/);
    for (const width of [360, 390, 719]) {
      await page.setViewportSize({ width, height: 844 });
      const [wide, window] = await page.evaluate<[number, number]>(
        "[document.documentElement.scrollWidth, innerWidth]",
      );
      expect(wide, `${width} px`).toBeLessThanOrEqual(window);
    }
    await expectUsable(page);
    expect(problems).toEqual([]);
  }, 60_000);

  test("of different runs and tasks are named by run and model, and say that their steps do not correspond", async () => {
    await using look = await lookAt(browser, gateway, { hash: "#/runs/random-lake" });
    const { page, problems } = look;
    await page.getByRole("checkbox", { name: "Select rollout 0 to compare" }).check();
    await page.goto(`${gateway.url}/#/runs/scripted-lake`);
    await page.getByRole("checkbox", { name: "Select rollout 1 to compare" }).check();
    await page.getByRole("link", { name: "Compare" }).click();
    await page.getByText("Steps with the same number are of different tasks.").waitFor();
    const named = page.getByRole("heading", { name: /^(?:A )?walk by chance \(random\) ?seed_0 #0/ });
    await named.waitFor();
    await page.getByRole("link", { name: "Rollouts of the same task" }).waitFor();
    await page.getByRole("columnheader", { name: "frozen-lake (paper)" }).waitFor();
    expect(await page.locator(".notice").count(), "the tasks explain the first difference").toBe(1);
    expect(await page.getByRole("columnheader", { name: "Reward" }).count()).toBe(2);
    expect(problems).toEqual([]);
  });

  test("that are the same say so", async () => {
    await using look = await lookAt(browser, gateway, { hash: "#/runs/scripted-lake" });
    const { page, problems } = look;
    await openRollout(page, 0);
    const id = decodeURIComponent(page.url().split("/").at(-1) ?? "");
    await page.goto(`${gateway.url}/#/runs/compare?left=${encodeURIComponent(id)}&right=${encodeURIComponent(id)}`);
    await page.getByText("No differences").waitFor();
    expect(problems).toEqual([]);
  });
});

test("the lists of runs and rollouts can be used by everybody", async () => {
  await using look = await lookAt(browser, gateway, { hash: "#/runs/scripted-lake" });
  const { page, problems } = look;
  await rollouts(page).first().waitFor();
  await expectUsable(page);
  await page.goto(`${gateway.url}/#/runs`);
  await page.getByRole("row", { name: /random-lake/ }).waitFor();
  await expectUsable(page);
  expect(problems).toEqual([]);
}, 60_000);
