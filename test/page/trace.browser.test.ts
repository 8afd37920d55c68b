import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { environment } from "biplane";
import type { RolloutOptions } from "../../packages/biplane/src/rollout/rollout.ts";
import { scriptedAgent } from "../../packages/biplane/src/rollout/agent/scripted.ts";
import { seedRows } from "../../packages/biplane/src/rollout/row.ts";
import { scoreTraces } from "../../packages/biplane/src/rollout/score/scorer.ts";
import { summarize } from "../../packages/biplane/src/rollout/score/summary.ts";
import { readTraces } from "../../packages/biplane/src/store/runs/rollouts.ts";
import { saveScoring } from "../../packages/biplane/src/store/runs/scores.ts";
import { frozenLake } from "../../packages/gallery/src/frozen-lake/frozen-lake.ts";
import { sandboxEndpoint } from "../../packages/core/src/app/sandbox/sandbox-endpoint.ts";
import { lakeMoves, playAll } from "../rollout/playing.ts";
import { openChromium } from "../support/chromium.ts";
import { lookAt, openPageGateway } from "../support/page.ts";
import type { PageGateway } from "../support/page.ts";
import { expectUsable, hostile } from "./run-data.ts";

let browser: Browser;
let gateway: PageGateway;

/** A terminal that answers each word in colours. */
function terminal(steps: number) {
  return environment({
    name: "terminal",
    version: "1",
    start: () => ({ typed: 0 }),
    observe: ({ typed }) => ({ typed }),
    tools: (define) => ({
      type_word: define({
        input: { type: "object", properties: { word: { type: "string" } }, required: ["word"] },
        run: ({ word }, { state }) => {
          state.typed++;
          if (word === "break") throw new Error(`It broke. ${"Because. ".repeat(300)}The end of the error.`);
          return `\u001B[32mok\u001B[0m ${word} ${state.typed}`;
        },
      }),
    }),
    reward: () => 0.1,
    status: ({ typed }) => ({ terminated: typed >= steps }),
  });
}

async function play(
  run: string,
  words: (step: number) => string | Promise<string>,
  options: Partial<RolloutOptions> = {},
) {
  const agent = scriptedAgent(async ({ step }) => ({ tool: "type_word", input: { word: await words(step) } }));
  await playAll(terminal(39), seedRows([1], { system: "Type words.", prompt: "Begin: {observation}" }), {
    agent,
    store: gateway.store,
    run,
    steps: 60,
    ...options,
  });
}

beforeAll(async () => {
  [browser, gateway] = await Promise.all([openChromium(), openPageGateway({ served: [terminal(40)] })]);
  await play("typed", (step) => (step === 20 ? "break" : step === 33 ? "needle" : `word-${step}`));
  const scored = await scoreTraces(await readTraces(gateway.store, "typed"), () => ({
    score: 0.25,
    reason: `Too slow. ${hostile.html}`,
    metrics: { [hostile.html]: { score: 0.5, reason: "half" } },
  }));
  await saveScoring(gateway.store, "typed", { name: "judge", scorer: "judge.ts", scored, summary: summarize(scored) });
}, 120_000);

afterAll(async () => {
  await browser?.close();
  await gateway?.[Symbol.asyncDispose]();
});

const at = (page: Page) => page.locator(".scrubber-foot [aria-live]").textContent();

async function openTyped(page: Page): Promise<void> {
  await page.getByRole("table", { name: "Rollouts" }).getByRole("link").first().click();
  await page.getByRole("region", { name: "Transcript" }).waitFor();
}

describe("a transcript", () => {
  test("is scrolled by the slider, and scrolling moves the slider", async () => {
    await using look = await lookAt(browser, gateway, { hash: "#/runs/typed" });
    const { page, problems } = look;
    await openTyped(page);
    const transcript = page.getByRole("region", { name: "Transcript" });
    await transcript.getByText("Type words.").waitFor();
    await page.getByRole("slider", { name: "Step" }).fill("30");
    const step30 = transcript.locator('[aria-current="step"]');
    await step30.getByRole("button", { name: "Step 30" }).waitFor();
    const isInside = () =>
      transcript.evaluate((box) => {
        const turn = box.querySelector("[aria-current]")?.getBoundingClientRect();
        const frame = box.getBoundingClientRect();
        return turn !== undefined && turn.top >= frame.top - 2 && turn.top < frame.bottom;
      });
    await expect.poll(isInside).toBe(true);
    await transcript.evaluate((box) => box.scrollBy(0, -400));
    await expect.poll(async () => Number(/\d+/.exec((await at(page)) ?? "")?.[0])).toBeLessThan(30);
    await transcript.evaluate((box) => box.scrollTo(0, box.scrollHeight));
    await expect.poll(() => at(page)).toMatch(/^Step (3\d|40) of 40$/);
    await page.keyboard.press("End");
    await transcript.getByText(/^Ended after 40 steps/).waitFor();
    await transcript.getByRole("button", { name: "Step 39" }).click();
    await expect.poll(() => at(page)).toBe("Step 39 of 40");
    expect(problems).toEqual([]);
  });

  test("draws terminal colours, says nothing twice, and shows errors whole", async () => {
    await using look = await lookAt(browser, gateway, { hash: "#/runs/typed" });
    const { page, problems } = look;
    await openTyped(page);
    await page.keyboard.press("ArrowRight");
    const turn = page.locator('.turn[aria-current="step"]');
    await turn.locator(".screen-front", { hasText: "ok" }).waitFor();
    const text = (await turn.textContent()) ?? "";
    expect(text).not.toContain("ESC");
    expect(text.split("word-0").length - 1).toBe(2); // what was asked for, and the result
    expect(text.split("type_word").length - 1).toBe(1);
    await page.getByRole("button", { name: "First error" }).click();
    await expect.poll(() => at(page)).toBe("Step 21 of 40");
    await turn.getByText("The end of the error.").first().waitFor();
    await expectUsable(page);
    expect(problems).toEqual([]);
  }, 60_000);

  test("shows a conversation in a prompt as one, with the texts beside it folded until they are searched", async () => {
    const conversation = [{ role: "user", content: "Where is my parcel?" }];
    const instructions = `Answer the customer. ${"Be polite and brief. ".repeat(12)}`;
    const policy = `# Refunds\n\n${"Nobody gets a refund after thirty days. ".repeat(8)}`;
    const support = environment({
      name: "support",
      version: "1",
      start: () => ({ isOver: false }),
      observe: () => ({ instructions, policy, conversation }),
      tools: (define) => ({
        contact_close: define({
          input: { type: "object", properties: {} },
          run: (_, { state }) => {
            state.isOver = true;
          },
        }),
      }),
      reward: () => 1,
      status: ({ isOver }) => ({ terminated: isOver }),
    });
    const agent = scriptedAgent(() => ({ tool: "contact_close", input: {} }));
    await playAll(support, seedRows([1]), { agent, store: gateway.store, run: "talk", steps: 1 });
    await using look = await lookAt(browser, gateway, { hash: "#/runs/talk" });
    const { page, problems } = look;
    await openTyped(page);
    const first = page.getByRole("region", { name: "Transcript" }).locator(".turn").first();
    await first.locator(".messages .message-user", { hasText: "Where is my parcel?" }).last().waitFor();
    const rules = first.getByText("Nobody gets a refund").first();
    await rules.waitFor({ state: "hidden" });
    await expectUsable(page);
    await page.getByRole("searchbox", { name: "Search transcript" }).fill("thirty days");
    await rules.waitFor();
    expect(problems).toEqual([]);
  }, 60_000);

  test("is searched, from match to match", async () => {
    await using look = await lookAt(browser, gateway, { hash: "#/runs/typed" });
    const { page, problems } = look;
    await openTyped(page);
    const search = page.getByRole("searchbox", { name: "Search transcript" });
    await search.fill("NEEDLE");
    await page.getByText("1", { exact: true }).first().waitFor();
    await search.press("Enter");
    expect(await at(page)).toBe("Step 34 of 40");
    await page.getByText("1 of 1").waitFor();
    expect(await page.evaluate(() => CSS.highlights.get("trace-search")?.size)).toBeGreaterThan(0);
    await search.fill("word-1");
    await page.getByRole("button", { name: "Next match" }).click();
    await expect.poll(() => at(page)).toBe("Step 2 of 40");
    await page.getByRole("button", { name: "Previous match" }).click();
    await expect.poll(() => at(page)).toBe("Step 20 of 40");
    await search.fill("nowhere to be found");
    await page.getByText("no match").waitFor();
    await expectUsable(page);
    expect(problems).toEqual([]);
  }, 60_000);
});

describe("what others say about a rollout", () => {
  test("are a judge's scores with reasons, and annotations that stay", async () => {
    await using look = await lookAt(browser, gateway, { hash: "#/runs/typed" });
    const { page, problems } = look;
    await openTyped(page);
    const scores = page.getByRole("list", { name: "Scores" });
    await scores.getByText("Too slow.").waitFor();
    await expect.poll(() => scores.textContent()).toContain("0.25");
    await page.getByRole("slider", { name: "Step" }).fill("7");
    await page.getByLabel("New annotation").fill(`Look here ${hostile.html}${hostile.direction}`);
    await page.getByText("Bad", { exact: true }).click();
    await page.getByRole("button", { name: "Annotate" }).click();
    const annotations = page.getByRole("list", { name: "Annotations" });
    await annotations.getByText("Look here <img src=x").waitFor();
    await expect.poll(() => annotations.locator(".mark").allTextContents()).toContain("RLO");
    await page.locator('.turn[aria-current="step"]').getByText("1 annotation").waitFor();
    expect(await page.locator(".main img, .main script").count()).toBe(0);
    await expectUsable(page);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.reload();
    await annotations.getByText("Look here").waitFor();
    await page.keyboard.press("Home");
    await annotations.getByRole("button", { name: "step 7" }).click();
    expect(await at(page)).toBe("Step 7 of 40");
    await annotations.getByRole("button", { name: "Delete annotation" }).click();
    await expect.poll(() => annotations.count()).toBe(0);
    expect(await page.evaluate(() => "pwned" in globalThis)).toBe(false);
    expect(problems).toEqual([]);
  }, 90_000);
});

/** Lets an agent wait for the test. */
function gate() {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}

test("a rollout that is being played is opened and followed to its end", async () => {
  const gates = [gate(), gate(), gate()];
  const played = play(
    "live",
    async (step) => {
      await gates[step]?.promise;
      return `live-${step}`;
    },
    { steps: 3 },
  );
  gates[0]?.resolve();
  await using look = await lookAt(browser, gateway, { hash: "#/runs/live" });
  const { page, problems } = look;
  await page.getByRole("table", { name: "Rollouts in progress" }).getByRole("link").click();
  await page.getByText("running", { exact: true }).waitFor();
  await expect.poll(() => at(page), { timeout: 15_000 }).toBe("Step 1 of 1");
  await expectUsable(page);
  await page.setViewportSize({ width: 1280, height: 800 });
  gates[1]?.resolve();
  await expect.poll(() => at(page), { timeout: 15_000 }).toBe("Step 2 of 2");
  await page.getByRole("region", { name: "Transcript" }).getByText("live-1").first().waitFor();
  gates[2]?.resolve();
  await played;
  await page
    .getByRole("region", { name: "Transcript" })
    .getByText(/^Ended after 3 steps/)
    .waitFor();
  expect(problems).toEqual([]);
}, 90_000);

test("the app of a tool stays open between steps, and earlier ones come back without loading", async () => {
  let url = "";
  await using apps = await openPageGateway({
    served: [frozenLake()],
    frames: "http://*.localhost:*",
    serve: { sandbox: sandboxEndpoint({ address: "http://{app}.localhost", hosts: () => true }) },
    kit: () => ({ sandbox: () => `http://{app}.localhost:${new URL(url).port}` }),
  });
  url = apps.url;
  const agent = scriptedAgent([...lakeMoves(["DOWN", "DOWN"]), "enough"]);
  await playAll(frozenLake(), seedRows([42]), { agent, store: apps.store, run: "lake" });
  await using look = await lookAt(browser, apps, { hash: "#/runs/lake" });
  const { page } = look;
  await openTyped(page);
  await page.keyboard.press("ArrowRight");
  await page.getByRole("button", { name: "Open app" }).click();
  const shown = page.locator(".trace-apps > div:not(.trace-app-kept)");
  const isSaid = (text: string) =>
    expect
      .poll(
        () =>
          shown
            .frameLocator(".app-container iframe")
            .frameLocator("iframe")
            .getByText(text)
            .isVisible()
            .catch(() => false),
        { timeout: 15_000 },
      )
      .toBe(true);
  await isSaid("Row 2, column 1");
  await page.locator("body").press("ArrowRight");
  await isSaid("Row 3, column 1");
  await expect.poll(() => page.locator(".trace-apps > div").count()).toBe(2);
  let requests = 0;
  page.on("request", () => requests++);
  await page.locator("body").press("ArrowLeft");
  await isSaid("Row 2, column 1");
  // The prompt has no app: the last one stays.
  await page.locator("body").press("ArrowLeft");
  await page.getByText("App, after step 1").waitFor();
  expect(requests).toBe(0);
}, 60_000);
