import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openChromium } from "../support/chromium.ts";
import { lookAt, passphrase } from "../support/page.ts";
import { openShopGateway, problemsEverywhere } from "./approvals-server.ts";
import type { ShopGateway } from "./approvals-server.ts";

const config = `
store: ./kept.db
approvals: { byClient: true }
packs:
  fetch: { apiKey: plain-key-in-the-file, note: "<b>bold</b> \\u202Eback" }
policies:
  - { tool: "refund_*", ask: "Refund it?" }
`;

let browser: Browser;
let gateway: ShopGateway;

beforeAll(async () => {
  browser = await openChromium();
  gateway = await openShopGateway({ config });
}, 120_000);

afterAll(async () => {
  await browser?.close();
  await gateway?.[Symbol.asyncDispose]();
});

const logIn = (name: string, words: string) =>
  fetch(`${gateway.url}/api/session`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name, passphrase: words }),
  }).then(({ status }) => status);

describe("settings", () => {
  test("what holds is shown by section, with what is default, and is searched", async () => {
    await using look = await lookAt(browser, gateway, { hash: "#/settings" });
    const { page } = look;
    await page.getByText("/srv/shop/biplane.yaml").waitFor();
    const entry = (key: string) =>
      page.locator(".settings-entries > div").filter({ has: page.getByText(key, { exact: true }) });
    await expect.poll(() => entry("approvals.byClient").innerText()).toMatch(/true\s+file, line 3/);
    await expect.poll(() => entry("approvals.byClient").innerText()).toContain("Ask the user of the calling client");
    // What was changed comes first.
    expect(await entry("approvals.expiresMinutes").count()).toBe(0);
    await page.getByRole("radio", { name: "All" }).check({ force: true });
    await entry("approvals.expiresMinutes").waitFor();
    await expect.poll(() => entry("limits.held.codeBytes.total").innerText()).toContain("512 MiB (536870912)");
    await expect.poll(() => entry("limits.global").innerText()).toContain("not set: no limit");
    await expect.poll(() => entry("approvals.expiresMinutes").innerText()).toMatch(/60\s+default/);
    await expect.poll(() => entry("packs.fetch").innerText()).toContain("<b>bold</b>");
    await expect.poll(() => entry("packs.fetch").innerText()).toContain("RLO");
    expect(await page.locator("main").innerText()).not.toContain("plain-key-in-the-file");
    await page.getByRole("heading", { name: "Approvals", exact: true, level: 2 }).waitFor();
    expect(await problemsEverywhere(page)).toEqual([]);
    await page.getByRole("radio", { name: "Changed" }).check({ force: true });
    await expect.poll(() => entry("approvals.expiresMinutes").count()).toBe(0);
    await page.getByLabel("Search key or value").fill("kept.db");
    await expect.poll(() => page.locator(".settings-entries > div").count()).toBe(1);
    await expect.poll(() => page.url()).toContain("query=kept.db");
    await page.getByLabel("Search key or value").fill("nothing of that name");
    await page.getByRole("button", { name: "Show all settings" }).click();
    await entry("policyDefault").waitFor();
    expect(look.problems).toEqual([]);
  });

  test("a person is added with some scopes, can log in with them, and is removed again", async () => {
    await using look = await lookAt(browser, gateway, { hash: "#/settings/people" });
    const { page } = look;
    await page.getByRole("row").filter({ hasText: "ada" }).getByText("you").waitFor();
    await page.getByRole("button", { name: "Add with a passphrase" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox", { name: "Name" }).fill("bob");
    await dialog.getByLabel("Initial passphrase").fill("short");
    await expect.poll(() => dialog.getByRole("button", { name: "Add" }).isDisabled()).toBe(true);
    await dialog.getByLabel("Initial passphrase").fill(passphrase);
    await dialog.getByRole("radio", { name: /^custom/ }).check();
    await dialog.getByRole("checkbox", { name: /^approvals/ }).check();
    await dialog.getByRole("checkbox", { name: /^people/ }).check();
    expect(await problemsEverywhere(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Add" }).click();
    const row = page.getByRole("row").filter({ hasText: "bob" });
    await row.getByText("approvals", { exact: true }).waitFor();
    expect(await problemsEverywhere(page)).toEqual([]);
    expect(await logIn("bob", passphrase)).toBe(200);
    await page.getByRole("button", { name: "Add with a passphrase" }).click();
    await dialog.getByRole("textbox", { name: "Name" }).fill("bob");
    await dialog.getByLabel("Initial passphrase").fill(passphrase);
    await dialog.getByRole("button", { name: "Add" }).click();
    await dialog.getByText("An account named bob already exists.").waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    {
      await using bobs = await lookAt(browser, gateway, { hash: "#/settings/people", as: "bob" });
      await bobs.page.getByRole("button", { name: "Add with a passphrase" }).click();
      await expect.poll(() => bobs.page.getByRole("checkbox", { name: /^secrets/ }).isDisabled()).toBe(true);
      await expect.poll(() => bobs.page.getByRole("checkbox", { name: /^approvals/ }).isDisabled()).toBe(false);
      await expect.poll(() => bobs.page.getByRole("radio", { name: /^owner/ }).isDisabled()).toBe(true);
      await expect.poll(() => bobs.page.getByRole("radio", { name: /^custom/ }).isChecked()).toBe(true);
    }
    await row.getByRole("button", { name: "Actions for bob" }).click();
    await page.getByRole("menuitem", { name: "Remove…" }).click();
    await dialog.getByRole("button", { name: "Remove" }).click();
    await expect.poll(() => row.count()).toBe(0);
    expect(await logIn("bob", passphrase)).toBe(401);
    expect(look.problems).toEqual([]);
  });

  test("a token is shown once, opens the people's API, and is taken back", async () => {
    await using look = await lookAt(browser, gateway, { hash: "#/settings/account" });
    const { page } = look;
    await page.getByText("You have no tokens").waitFor();
    await page.getByRole("button", { name: "New token" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Label").fill("<b>nightly</b> report");
    await dialog.getByRole("button", { name: "Create token" }).click();
    await dialog.getByText("not shown again").waitFor();
    const [token = ""] = /biplane_p_\S+/.exec(await dialog.innerText()) ?? [];
    expect(await problemsEverywhere(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Done" }).click();
    expect(token).not.toBe("");
    expect(await page.content()).not.toContain(token);
    const me = () => fetch(`${gateway.url}/api/session`, { headers: { authorization: `Bearer ${token}` } });
    expect(await (await me()).json()).toMatchObject({ name: "ada" });
    await page.reload();
    const row = page.getByRole("row").filter({ hasText: "<b>nightly</b> report" });
    await row.getByRole("button", { name: "Revoke" }).click();
    await dialog.getByRole("button", { name: "Revoke" }).click();
    await page.getByText("You have no tokens").waitFor();
    expect((await me()).status).toBe(401);
    expect(look.problems).toEqual([]);
  });

  test("one's own passphrase is changed: other logins end, this one goes on", async () => {
    await gateway.people.add({ name: "eve", passphrase });
    await using elsewhere = await lookAt(browser, gateway, { hash: "#/settings/account", as: "eve" });
    await using look = await lookAt(browser, gateway, { hash: "#/settings/account", as: "eve" });
    const { page } = look;
    const change = page.getByRole("button", { name: "Change passphrase" });
    await page.getByLabel("Current passphrase").fill("it is not this one");
    await page.getByLabel("New passphrase", { exact: true }).fill("four quite different words");
    await page.getByLabel("Repeat new passphrase").fill("four quite other words");
    await page.getByText("The passphrases do not match.").waitFor();
    await expect.poll(() => change.isDisabled()).toBe(true);
    await page.getByLabel("Repeat new passphrase").fill("four quite different words");
    await change.click();
    await page.getByText("The name or the passphrase is wrong").waitFor();
    await page.getByLabel("Current passphrase").fill(passphrase);
    await change.click();
    await page.locator(".toast").filter({ hasText: "Passphrase changed" }).waitFor();
    expect([await logIn("eve", passphrase), await logIn("eve", "four quite different words")]).toEqual([401, 200]);
    await page.reload();
    await page.getByRole("heading", { name: "Your tokens" }).waitFor();
    await elsewhere.page.reload();
    await elsewhere.page.getByRole("button", { name: /sign in/i }).waitFor();
    expect(look.problems).toEqual([]);
  });

  test("says what runs here and where the API is described", async () => {
    await using look = await lookAt(browser, gateway, { hash: "#/settings/about" });
    const { page } = look;
    await page.getByText("Biplane version").waitFor();
    await expect
      .poll(() => page.getByRole("link", { name: "OpenAPI document" }).getAttribute("href"))
      .toBe("/api/openapi.json");
    expect(await problemsEverywhere(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    // The lines of the command wrap, so that it can be read whole.
    const command = page.getByRole("region", { name: "command" });
    await expect.poll(() => command.evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0);
    expect(await page.locator("main").evaluate((main) => main.scrollWidth - main.clientWidth)).toBe(0);
    expect(look.problems).toEqual([]);
  });
});
