import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { server, tool } from "biplane";
import { openStore } from "biplane/store";
import { joinFleet } from "../../packages/biplane/src/fleet/fleet.ts";
import { openChromium } from "../support/chromium.ts";
import { accessibilityProblems, lookAt, openPageGateway } from "../support/page.ts";
import { needsPostgres, startPostgres } from "../support/postgres.ts";
import type { TestPostgres } from "../support/postgres.ts";

describe("the processes on a database", needsPostgres, () => {
  let browser: Browser | undefined;
  let postgres: TestPostgres | undefined;
  beforeAll(async () => {
    browser = await openChromium();
    postgres = await startPostgres();
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await postgres?.[Symbol.asyncDispose]();
  });

  test("are in a table with their load, this one marked, and names are shown as text", async () => {
    await using store = await openStore(await (postgres as TestPostgres).database());
    const join = (name: string, kind: "server" | "worker", load: Record<string, number>) =>
      joinFleet({ store, key: "the same", kind, name, version: "0.2.0", load: () => load, onFault: () => undefined });
    await using first = await join("node-1", "server", { episodes: 12, sessions: 3, lagMs: 2, memoryMb: 140 });
    await using second = await join("<b>node-2</b>", "server", { episodes: 7, sessions: 0, lagMs: 41, memoryMb: 155 });
    await using worker = await join("gpu-1", "worker", { memoryMb: 90 });
    await first.listenAt("http://10.0.0.1:8000");
    await second.listenAt("http://10.0.0.2:8000");
    const shop = server({ name: "shop", tools: [tool({ name: "look", run: () => "looked" })] });
    await using gateway = await openPageGateway({
      served: [shop],
      kit: () => ({ fleet: { store, processId: () => first.processId } }),
    });
    await using look = await lookAt(browser as Browser, gateway);
    const { page } = look;
    await page.getByRole("heading", { name: "Processes" }).waitFor();
    const rows = page.getByRole("table", { name: "Processes on this database" }).getByRole("row");
    await expect.poll(() => rows.count()).toBe(4);
    await expect.poll(() => rows.nth(1).innerText()).toContain("this one");
    await expect.poll(() => rows.nth(2).innerText()).toContain("<b>node-2</b>");
    await expect.poll(() => rows.nth(2).innerText()).toContain("41 ms");
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(look.problems).toEqual([]);
    expect(worker.processId).not.toBe(first.processId);
  });
});
