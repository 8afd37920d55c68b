import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { EpisodeDetail } from "../../packages/biplane/src/admin/episodes/episode-api.ts";
import { sandboxEndpoint } from "../../packages/core/src/app/sandbox/sandbox-endpoint.ts";
import { connectFour } from "../../packages/gallery/src/connect-four/connect-four.ts";
import { frozenLake } from "../../packages/gallery/src/frozen-lake/frozen-lake.ts";
import { wordle } from "../../packages/gallery/src/wordle/wordle.ts";
import { openChromium } from "../support/chromium.ts";
import { lookAt, openPageGateway, passphrase } from "../support/page.ts";
import type { PageGateway } from "../support/page.ts";
import { expectUsable, hostileWorld } from "./run-data.ts";
import { sessionHeaders } from "../support/session.ts";

let browser: Browser;
let gateway: PageGateway;
let session: Record<string, string> = {};

beforeAll(async () => {
  const served = [frozenLake(), connectFour(), wordle(), hostileWorld()];
  [browser, gateway] = await Promise.all([openChromium(), openPageGateway({ served })]);
  const body = JSON.stringify({ name: "ada", passphrase });
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${gateway.url}/api/session`, { method: "POST", headers, body });
  session = await sessionHeaders(response);
}, 120_000);

afterAll(async () => {
  await browser?.close();
  await gateway?.[Symbol.asyncDispose]();
});

/** What somebody else does meanwhile. */
async function ask<Answer>(line: string, body?: unknown): Promise<Answer> {
  const [method = "", path = ""] = line.split(" ");
  const headers = { ...session, "content-type": "application/json" };
  const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
  const response = await fetch(gateway.url + path, init);
  return (response.status === 204 ? undefined : await response.json()) as Answer;
}

const begin = (server: string, seed = 42) => ask<EpisodeDetail>("POST /api/episodes", { server, seed });
const play = (id: string, tool: string, input: unknown) => ask(`POST /api/episodes/${id}/calls`, { tool, input });
const total = (page: Page) => page.locator(".figure", { hasText: "Total reward" }).locator(".figure-value");
const steps = (page: Page) => page.getByRole("list", { name: "Steps" }).getByRole("listitem");

describe("the list of episodes", () => {
  test("shows what others play as it happens, and filters by the address", async () => {
    await using look = await lookAt(browser, gateway, { hash: "#/episodes?status=open" });
    const { page, problems } = look;
    const lake = await begin("frozen-lake");
    const row = page.getByRole("row", { name: /frozen-lake.*seed 42/ });
    await row.waitFor();
    await play(lake.id, "lake_move", { action: "DOWN" });
    await row.getByText("ada").waitFor();
    await expect.poll(() => row.getByRole("cell").nth(2).textContent()).toBe("1");
    await begin("connect-four", 3);
    await page.getByRole("row", { name: /connect-four/ }).waitFor();
    await page.getByLabel("Environment").selectOption("connect-four");
    await expect.poll(() => row.count()).toBe(0);
    await expect.poll(() => page.url()).toContain("status=open&server=connect-four");
    await page.getByLabel("Environment").selectOption("");
    await row.waitFor();
    await ask(`DELETE /api/episodes/${lake.id}`);
    await expect.poll(() => row.count()).toBe(0);
    expect(problems).toEqual([]);
  });

  test("says how to begin where there is nothing, and begins one with a seed and a config", async () => {
    await using empty = await openPageGateway({ served: [frozenLake()] });
    await using look = await lookAt(browser, empty, { hash: "#/episodes" });
    const { page, problems } = look;
    await page.getByText("No episodes").waitFor();
    await page.getByText("biplane rollout --url").waitFor();
    await page.getByRole("button", { name: "Start an episode" }).click();
    const dialog = page.getByRole("dialog", { name: "Start an episode" });
    await dialog.getByLabel("Seed").fill("7");
    await dialog.getByLabel("max_steps").fill("0");
    await dialog.getByRole("button", { name: "Start" }).click();
    await dialog.getByText("Must be at least 1.").waitFor();
    await dialog.getByLabel("max_steps").fill("9");
    await dialog.getByLabel("map_name").selectOption({ label: "8x8" });
    await dialog.getByLabel("Seed").press("Enter");
    const screen = page.getByRole("region", { name: /Rendered state/ });
    await screen.waitFor();
    expect((await screen.textContent())?.trim().split("\n")).toHaveLength(8);
    expect(problems).toEqual([]);
  });
});

describe("an episode", () => {
  test("is played by buttons and by keys to its end, and says that it is over", async () => {
    const { id } = await begin("frozen-lake");
    await using look = await lookAt(browser, gateway, { hash: `#/episodes/${id}` });
    const { page, problems } = look;
    await page.getByRole("button", { name: "Down", exact: true }).click();
    await expect.poll(() => steps(page).count()).toBe(1);
    await page.keyboard.press("2");
    await expect.poll(() => steps(page).count()).toBe(2);
    for (const [at, key] of ["ArrowRight", "3", "ArrowDown", "ArrowRight"].entries()) {
      await page.keyboard.press(key);
      await expect.poll(() => steps(page).count()).toBe(at + 3);
    }
    await page.getByText("This episode has ended.").waitFor();
    await expect.poll(() => total(page).textContent()).toBe("1");
    expect(await page.getByRole("group", { name: "Actions" }).count()).toBe(0);
    await steps(page).first().getByRole("button").first().click();
    await steps(page).first().getByText("Result").waitFor();
    await page.getByRole("button", { name: "Start again" }).click();
    await expect.poll(() => page.getByRole("dialog").getByLabel("Seed").inputValue()).toBe("42");
    expect(problems).toEqual([]);
  });

  test("follows what others play, and says when it is gone", async () => {
    const { id } = await begin("connect-four");
    await using look = await lookAt(browser, gateway, { hash: `#/episodes/${id}` });
    const { page, problems } = look;
    await page.getByRole("button", { name: "6" }).waitFor();
    for (const column of [0, 1, 0, 1, 0, 1]) await play(id, "piece_drop", { column });
    await expect.poll(() => steps(page).count()).toBe(6);
    // The number keys are the columns themselves.
    await page.keyboard.press("0");
    await page.getByText("This episode has ended.").waitFor();
    await expect.poll(() => total(page).textContent()).toBe("1");
    await ask(`DELETE /api/episodes/${id}`);
    await page.getByText("This episode no longer exists.").waitFor();
    expect(problems).toEqual([]);
  });

  test("is forked where it stands, and both point at each other", async () => {
    const { id } = await begin("frozen-lake");
    await play(id, "lake_move", { action: "DOWN" });
    await using look = await lookAt(browser, gateway, { hash: `#/episodes/${id}` });
    const { page, problems } = look;
    await page.getByRole("button", { name: "Fork from step 1" }).click();
    await page.getByText("Forked from").waitFor();
    expect(page.url()).not.toContain(id);
    await page.getByRole("button", { name: "Right", exact: true }).click();
    await expect.poll(() => steps(page).count()).toBe(2);
    await page.getByRole("link", { name: id.slice(0, 10) }).click();
    await page.getByText("Forked to").waitFor();
    await expect.poll(() => steps(page).count()).toBe(1);
    await page.getByRole("button", { name: "End", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "End episode" }).click();
    await page.getByRole("heading", { name: "Episodes" }).waitFor();
    expect((await ask<{ error?: string }>(`GET /api/episodes/${id}`)).error).toBeDefined();
    expect(problems).toEqual([]);
  });

  test("with a tool that takes words has a form, which says what is wrong", async () => {
    const { id } = await begin("wordle", 1);
    await using look = await lookAt(browser, gateway, { hash: `#/episodes/${id}` });
    const { page, problems } = look;
    const make = page.getByRole("button", { name: "Take step" });
    await page.getByText("JSON", { exact: true }).click();
    const json = page.getByLabel("Input as JSON");
    await json.fill("{}");
    await make.click();
    await page.locator(".field-error").first().waitFor();
    expect(await steps(page).count()).toBe(0);
    await page.getByRole("radio", { name: "Observation" }).check({ force: true });
    // The prompt, which is in the observation twice, is said once.
    expect(
      await page.getByRole("list", { name: "Observation: messages" }).getByText("game", { exact: true }).count(),
    ).toBe(1);
    await expect.poll(() => page.locator(".value-view").getByText("You are playing Wordle").count()).toBe(1);
    await json.fill('{"message":"[crane]"}');
    await make.click();
    await expect.poll(() => steps(page).count()).toBe(1);
    expect(problems).toEqual([]);
  });

  test("shows whatever it says as text", async () => {
    const { id } = await begin("hostile-world");
    await play(id, "thing_say", { what: "x" });
    await using look = await lookAt(browser, gateway, { hash: `#/episodes/${id}` });
    const { page, problems } = look;
    const screen = page.getByRole("region", { name: /Rendered state/ });
    await screen.getByText("<script>").waitFor();
    await expect.poll(() => screen.getByText("not hidden").isVisible()).toBe(true);
    await expect.poll(() => screen.locator(".mark").allTextContents()).toEqual(["ESC", "ESC", "BEL", "RLO", "LRI"]);
    await steps(page).first().getByRole("button").first().click();
    await steps(page).first().getByText("<script>").waitFor();
    expect((await page.locator(".main").textContent())?.length).toBeLessThan(60_000);
    expect(await page.evaluate(() => "pwned" in globalThis)).toBe(false);
    expect(await page.locator(".main img, .main script").count()).toBe(0);
    expect(problems).toEqual([]);
  });

  test("is played in the environment's own app, whose presses are steps", async () => {
    let url = "";
    await using apps = await openPageGateway({
      served: [frozenLake()],
      frames: "http://*.localhost:*",
      serve: { sandbox: sandboxEndpoint({ address: "http://{app}.localhost", hosts: () => true }) },
      kit: () => ({ sandbox: () => `http://{app}.localhost:${new URL(url).port}` }),
    });
    url = apps.url;
    await using look = await lookAt(browser, apps, { hash: "#/episodes" });
    const { page, problems } = look;
    await page.getByRole("button", { name: "Start an episode" }).click();
    await page.getByRole("dialog").getByLabel("Seed").fill("42");
    await page.getByRole("dialog").getByRole("button", { name: "Start", exact: true }).click();
    await page.getByRole("button", { name: "Down", exact: true }).click();
    await page.getByText("App", { exact: true }).click();
    await expect.poll(() => page.url()).toContain("as=app");
    const app = page.frameLocator(".app-container iframe").frameLocator("iframe");
    // The frame may be taken away while one looks: for a step of somebody else the app is begun anew.
    const isSaid = (text: string) =>
      expect
        .poll(
          () =>
            app
              .getByText(text)
              .isVisible()
              .catch(() => false),
          { timeout: 10_000 },
        )
        .toBe(true);
    await isSaid("Row 2, column 1");
    await app.getByRole("button").nth(2).click();
    await isSaid("Row 3, column 1");
    await expect.poll(() => steps(page).count()).toBe(2);
    // What somebody else does is shown in it too.
    await page.getByRole("button", { name: "Right", exact: true }).click();
    await isSaid("Row 3, column 2");
    expect(problems.filter((problem) => !/^asked for http:\/\/\w+\.localhost:/.test(problem))).toEqual([]);
  });

  test("can be used by everybody, and so can the list", async () => {
    const { id } = await begin("frozen-lake");
    await play(id, "lake_move", { action: "DOWN" });
    await using look = await lookAt(browser, gateway, { hash: `#/episodes/${id}` });
    const { page, problems } = look;
    await steps(page).first().waitFor();
    await expectUsable(page);
    await page.goto(`${gateway.url}/#/episodes`);
    await page
      .getByRole("row", { name: /frozen-lake/ })
      .first()
      .waitFor();
    await expectUsable(page);
    expect(problems).toEqual([]);
  }, 60_000);
});
