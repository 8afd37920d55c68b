import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { Environment, Episode } from "biplane";
import { connect } from "biplane/client";
import type { Client } from "../../packages/core/src/client/client.ts";
import { connectFour } from "../../packages/gallery/src/connect-four/connect-four.ts";
import { frozenLake } from "../../packages/gallery/src/frozen-lake/frozen-lake.ts";
import { lunarLander } from "../../packages/gallery/src/lunar-lander/lunar-lander.ts";
import { openStage } from "./built-in-stage.ts";
import type { Shown, Stage } from "./built-in-stage.ts";

// A browser on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

/** An episode behind the real wire, with a client that can show apps. */
async function slotWith(environment: Environment, options: object = {}) {
  const { url } = await environment.serve({ url: "http://127.0.0.1:0", graceMs: 200 });
  const episode = await environment.start(options);
  const client = await connect(`${url}/e/${episode.id}/mcp`, { apps: true });
  return { episode, client, [Symbol.asyncDispose]: () => close(client, environment) };
}

async function close(client: Client, environment: Environment): Promise<void> {
  await client.close();
  await environment.close();
}

/** What belongs to trainers. In JSON, and in JSON inside of texts. */
const secret =
  /\\*"(?:reward|rewards|total_reward|totalReward|terminated|truncated|done|seed|state|status|prob|info|next_player|result_of)\\*"\s*:/i;

async function expectNoSecrets(shown: Shown, answers: number): Promise<void> {
  const heard = await shown.heard();
  expect(heard.filter((message) => message.includes("structuredContent")).length).toBeGreaterThanOrEqual(answers);
  expect(heard.filter((message) => secret.test(message))).toEqual([]);
}

test("the search of this test finds the ending where it is present", () => {
  expect(secret.test('{"structuredContent":{"reward":1}}')).toBe(true);
  expect(secret.test(JSON.stringify({ text: JSON.stringify({ terminated: true }) }))).toBe(true);
});

test.each(["ours", "official"] as const)(
  "a person walks over the lake in %s host, by clicks and by keys, and the reward stays on the other plane",
  async (host) => {
    await using environment = frozenLake();
    await using slot = await slotWith(environment, { seed: 3 });
    const way = wayOver(slot.episode);
    const [first, ...rest] = way;
    await using shown = await stage.show(slot.client, { tool: "lake_move", input: { action: first?.move }, host });
    const { view, page } = shown;
    await at(shown, first?.cell).waitFor();
    await view.locator(".status").click();
    for (const [count, { move, cell }] of rest.entries()) {
      if (count % 3 === 0) await page.keyboard.press(`Arrow${move.charAt(0)}${move.slice(1).toLowerCase()}`);
      else if (count % 3 === 1) await view.locator(`.tile:nth-child(${cell + 1})`).click();
      else await view.getByRole("button", { name: `Move ${move.toLowerCase()}` }).click();
      await at(shown, cell).waitFor();
    }
    await view.getByText("You reached the goal.").waitFor();
    expect(shown.calls).toEqual(rest.map(({ move }) => ({ name: "lake_move", input: { action: move } })));
    expect(shown.contexts.at(-1)).toContain("position 15");
    await expectNoSecrets(shown, way.length);
    expect(slot.episode).toMatchObject({ terminated: true, last: { reward: 1 }, stepCount: way.length });
    // There is no move left to be seen, so none is made.
    await view.getByRole("button", { name: "Move left" }).click({ force: true });
    await page.keyboard.press("ArrowLeft");
    await shown.ask("ping");
    await shown.ask("ping");
    expect(shown.calls).toHaveLength(rest.length);
  },
);

test("the page knows of an ending only what the agent sees", async () => {
  await using environment = frozenLake();
  await using slot = await slotWith(environment, { seed: 3, config: { max_steps: 2 } });
  await using shown = await stage.show(slot.client, { tool: "lake_move", input: { action: "UP" }, theme: "dark" });
  const { view, page } = shown;
  await view.getByText("Row 1, column 1.", { exact: true }).waitFor();
  expect(await shown.barriers()).toEqual([]);
  await view.locator(".status").click();
  await page.keyboard.press("ArrowLeft");
  await view.getByText("The edge is in the way.").waitFor();
  expect(slot.episode.truncated).toBe(true);
  await page.keyboard.press("ArrowLeft");
  await view.locator(".status.problem").waitFor();
  const { content } = await slot.client.callTool("lake_move", { action: "LEFT" });
  expect(`Error: ${await view.locator(".status").textContent()}`).toBe((content[0] as { text?: string }).text);
  await expectNoSecrets(shown, 2);
});

test.each([
  ["ours", "clicks"],
  ["official", "keys"],
] as const)("a game of connect four goes to its end in %s host, by %s", async (host, how) => {
  await using environment = connectFour();
  await using slot = await slotWith(environment);
  const columns = [3, 4, 3, 4, 3, 4, 3];
  await using shown = await stage.show(slot.client, { tool: "piece_drop", input: { column: 3 }, host });
  const { view, page } = shown;
  await view.getByText("Yellow is next.").waitFor();
  await view.locator(".status").click();
  for (const [turn, column] of columns.slice(1).entries()) {
    if (how === "keys") await page.keyboard.press(String(column + 1));
    else await view.getByRole("button", { name: `Column ${column + 1}` }).click();
    await view
      .locator(".cell:is(.red, .yellow)")
      .nth(turn + 1)
      .waitFor();
    await view.locator('.board[aria-busy="false"]').waitFor();
  }
  await view.getByText("Red has four in a row.").waitFor();
  await expect.poll(() => view.locator(".winning").count()).toBe(4);
  expect(shown.contexts.at(-1)).toContain("Red has four in a row.");
  await expectNoSecrets(shown, columns.length);
  expect(slot.episode).toMatchObject({ terminated: true, last: { reward: 1 } });
});

test("a full column takes no piece, and its button says why", async () => {
  await using environment = connectFour();
  await using slot = await slotWith(environment);
  for (let piece = 0; piece < 5; piece++) await slot.client.callTool("piece_drop", { column: 0 });
  await using shown = await stage.show(slot.client, { tool: "piece_drop", input: { column: 0 } });
  const full = shown.view.getByRole("button", { name: "Column 1: red, yellow, red, yellow, red, yellow, full" });
  await full.waitFor();
  expect(await shown.barriers()).toEqual([]);
  await shown.view.locator(".status").click();
  await shown.page.keyboard.press("1");
  await full.click({ force: true });
  await shown.page.keyboard.press("2");
  await shown.view.getByRole("button", { name: "Column 2: red" }).waitFor();
  expect(shown.calls).toEqual([{ name: "piece_drop", input: { column: 1 } }]);
});

function at({ view }: Shown, cell: number | undefined) {
  return view.locator(`.tile:nth-child(${(cell ?? 0) + 1}).player`);
}

/** The shortest way over a lake of four by four, from what the agent sees of it. */
function wayOver({ firstObservation }: Episode): { move: string; cell: number }[] {
  const grid = (firstObservation as { grid: string }).grid.replaceAll(/[[\]\s]/g, "");
  const steps = { LEFT: -1, RIGHT: 1, UP: -4, DOWN: 4 };
  const ways = new Map<number, { move: string; cell: number }[]>([[0, []]]);
  for (const [cell, way] of ways) {
    if (grid[cell] === "G") return way;
    for (const [move, step] of Object.entries(steps)) {
      const next = cell + step;
      const isAside = Math.abs(step) === 1 && Math.floor(next / 4) !== Math.floor(cell / 4);
      if (isAside || next < 0 || next > 15 || grid[next] === "H" || ways.has(next)) continue;
      ways.set(next, [...way, { move, cell: next }]);
    }
  }
  throw new Error("There is no way over this lake");
}

test("a person flies the lunar lander by keys and clicks, and sees it on a canvas", async () => {
  await using environment = lunarLander();
  await using slot = await slotWith(environment, { seed: 7 });
  const input = { action: "NOTHING" };
  await using shown = await stage.show(slot.client, { tool: "lander_action", input });
  const { view, page } = shown;
  const picture = () => view.locator("canvas").evaluate((canvas: HTMLCanvasElement) => canvas.toDataURL());
  await view.getByText(/^Height 1\.\d\d/).waitFor();
  const before = await picture();
  await view.getByRole("button", { name: "Main engine" }).click();
  await view.locator('.board[aria-busy="false"]').waitFor();
  await view.locator(".status").click();
  await page.keyboard.press("ArrowLeft");
  await vi.waitFor(() => expect(slot.episode.stepCount).toBe(3));
  await view.locator('.board[aria-busy="false"]').waitFor();
  expect(await picture()).not.toBe(before);
  expect(shown.calls.map((call) => call.input)).toEqual([{ action: "FIRE_MAIN" }, { action: "FIRE_LEFT" }]);
  expect(await shown.barriers()).toEqual([]);
  await expectNoSecrets(shown, 3);
});
