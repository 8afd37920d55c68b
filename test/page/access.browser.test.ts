import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ask, server, tool } from "biplane";
import { openStore } from "biplane/store";
import type { SqlStore } from "biplane/store";
import { StoredTokens } from "../../packages/biplane/src/governance/access/stored-tokens.ts";
import { OidcSignIn } from "../../packages/biplane/src/governance/people/oidc.ts";
import { openChromium } from "../support/chromium.ts";
import { openOidcProvider } from "../support/oidc-provider.ts";
import type { OidcProvider } from "../support/oidc-provider.ts";
import { accessibilityProblems, lookAt, openPageGateway, passphrase, problemsEverywhere } from "../support/page.ts";
import type { PageGateway } from "../support/page.ts";

const hostile = '<img src=x onerror="globalThis.hit=1">';

let browser: Browser;
let provider: OidcProvider;
let gateway: PageGateway;
let tokens: StoredTokens;
let store: SqlStore;

beforeAll(async () => {
  browser = await openChromium();
  provider = await openOidcProvider({ sub: "1", preferred_username: "grace", groups: ["ops"] });
  const { issuer, clientId, clientSecret } = provider;
  store = await openStore(":memory:");
  tokens = await StoredTokens.open({ store });
  gateway = await openPageGateway({
    served: [shop()],
    storesCalls: true,
    provider: new OidcSignIn({ issuer, clientId, clientSecret, label: "Example", roles: { ops: "operator" } }),
    kit: () => ({ settings: { tokens: { tokens, isRequired: true } } }),
  });
  await fetch(`${gateway.url}/mcp/execute`, {
    method: "POST",
    body: JSON.stringify({ tool: "refund", arguments: {} }),
  });
}, 120_000);

afterAll(async () => {
  await browser?.close();
  await tokens?.[Symbol.asyncDispose]();
  await gateway?.[Symbol.asyncDispose]();
  await provider?.[Symbol.asyncDispose]();
  await store?.close();
});

describe("people", () => {
  test("are invited by a link that works once, and their access is changed", async () => {
    await using look = await lookAt(browser, gateway, { hash: "#/settings/people" });
    const { page } = look;
    await page.getByRole("button", { name: "Invite" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("For (optional)").fill("<b>Ben</b>");
    await dialog.getByRole("radio", { name: /^approver/ }).check();
    expect(await problemsEverywhere(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Create link" }).click();
    await dialog.getByText("not shown again").waitFor();
    const [link = ""] = /http\S+#\/invite\/\S+/.exec(await dialog.innerText()) ?? [];
    await dialog.getByRole("button", { name: "Done" }).click();
    const invitations = page.getByRole("table", { name: "Open invitations" });
    await invitations.getByRole("row").filter({ hasText: "<b>Ben</b>" }).getByText("approver").waitFor();

    await using guest = await lookAt(browser, gateway, { as: null });
    await guest.page.goto(link);
    await guest.page.getByText("ada invites you as approver on support-team.").waitFor();
    await guest.page.getByLabel("Your name").fill("ben");
    await guest.page.getByLabel("Passphrase", { exact: true }).fill(passphrase);
    expect(await accessibilityProblems(guest.page)).toEqual([]);
    await guest.page.getByRole("button", { name: "Create account" }).click();
    await guest.page.getByRole("button", { name: "Signed in as ben" }).waitFor();
    await expect.poll(() => views(guest.page)).toContain("Approvals");
    expect(await views(guest.page)).not.toContain("Secrets");
    await using late = await lookAt(browser, gateway, { as: null });
    await late.page.goto(link);
    await late.page.getByLabel("Your name").fill("cyd");
    await late.page.getByLabel("Passphrase", { exact: true }).fill(passphrase);
    await late.page.getByRole("button", { name: "Create account" }).click();
    await late.page.getByText("This invitation was already used").waitFor();

    await page.reload();
    const row = page.getByRole("row").filter({ hasText: "ben" });
    await row.getByText("approver").waitFor();
    await row.getByRole("button", { name: "Actions for ben" }).click();
    await page.getByRole("menuitem", { name: "Change access…" }).click();
    await dialog.getByRole("radio", { name: /^custom/ }).check();
    await dialog.getByRole("checkbox", { name: /^secrets/ }).check();
    await dialog.getByRole("button", { name: "Save" }).click();
    await row.getByText("secrets").waitFor();
    await guest.page.goto(gateway.url);
    await expect.poll(() => views(guest.page)).toContain("Secrets");
    expect([...look.problems, ...guest.problems]).toEqual([]);
  });

  test.each([
    ["approvals", "Approvals"],
    ["runs", "Runs"],
    ["secrets", "Secrets"],
    ["audit", "Audit"],
    ["connections", "Connections"],
    ["calls", "Live calls"],
    ["tools", "Tools"],
    ["episodes", "Episodes"],
  ])("with the scope %s alone land on %s, without an error anywhere they can go", async (scope, title) => {
    await gateway.people.add({ name: `only-${scope}`, passphrase, scopes: [scope] });
    await using look = await lookAt(browser, gateway, { as: `only-${scope}` });
    const { page } = look;
    await page.getByRole("heading", { level: 1, name: title }).waitFor();
    for (const view of await views(page)) {
      await page
        .getByRole("navigation", { name: "Views" })
        .getByRole("link", { name: view, exact: false })
        .first()
        .click();
      await page.getByRole("heading", { level: 1 }).waitFor();
      await expect.poll(() => page.locator(".loading").count()).toBe(0);
      expect([view, await page.locator(".problem").allInnerTexts()]).toEqual([view, []]);
    }
    await page
      .getByText(/^connected/)
      .first()
      .waitFor();
    await page.goto(`${gateway.url}/#/${scope === "secrets" ? "audit" : "secrets"}`);
    await page.getByText(/You do not have access to/).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(look.problems).toEqual([]);
  });

  test("sign in with the provider, and find the page where they left it", async () => {
    await using look = await lookAt(browser, gateway, { as: null, hash: "#/audit" });
    const { page } = look;
    await page.getByRole("button", { name: "Sign in with Example" }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole("button", { name: "Sign in with Example" }).click();
    await page.getByRole("button", { name: "Signed in as grace" }).waitFor();
    await page.getByRole("heading", { level: 1, name: "Audit" }).waitFor();
    await expect.poll(() => page.url()).toBe(`${gateway.url}/#/audit`);
    await page.goto(`${gateway.url}/#/settings/account`);
    await page.getByText("Your tokens").first().waitFor();
    expect(await page.getByText("Your passphrase").count()).toBe(0);
    await page.goto(`${gateway.url}/?code=stolen&state=stolen`);
    await page.getByText("This sign-in was not started in this tab").waitFor();
  });

  test("without a role of the provider are refused with the reason, as text", async () => {
    provider.claims = { sub: "2", preferred_username: hostile, groups: [] };
    await using look = await lookAt(browser, gateway, { as: null });
    const { page } = look;
    await page.getByRole("button", { name: "Sign in with Example" }).click();
    await page.getByText(/has no role here/).waitFor();
    await expect.poll(() => page.locator("main").innerText()).toContain("<img src=x");
    expect(await page.evaluate("globalThis.hit")).toBeUndefined();
  });
});

test("a token of an agent is made, scoped, rotated and revoked; its name is shown as text", async () => {
  await using look = await lookAt(browser, gateway, { hash: "#/settings/tokens" });
  const { page } = look;
  await page.getByText("No tokens yet").waitFor();
  await page.getByRole("button", { name: "New token" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill(hostile);
  await dialog.getByLabel("Scopes").fill("crm:read, crm:write");
  expect(await problemsEverywhere(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Create token" }).click();
  const first = await secretIn(page);
  await dialog.getByRole("button", { name: "Done" }).click();
  expect(await page.content()).not.toContain(first);
  const row = page.getByRole("row").filter({ hasText: "<img src=x" });
  await row.getByText("crm:write").waitFor();
  await row.getByText("never used").waitFor();
  expect(scopesOf(first)).toEqual(["crm:read", "crm:write"]);
  await act(page, "Change scopes…");
  await dialog.getByLabel("Scopes").fill("crm:read");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect.poll(() => row.getByText("crm:write").count()).toBe(0);
  await act(page, "Rotate…");
  await dialog.getByRole("button", { name: "Rotate" }).click();
  const second = await secretIn(page);
  await dialog.getByRole("button", { name: "Done" }).click();
  expect([scopesOf(first), scopesOf(second)]).toEqual([["crm:read"], ["crm:read"]]);
  await row.getByText("two valid").waitFor();
  expect(await problemsEverywhere(page)).toEqual([]);
  await act(page, "Revoke…");
  await dialog.getByRole("button", { name: "Revoke" }).click();
  await page.getByText("No tokens yet").waitFor();
  expect(scopesOf(second)).toBeUndefined();
  expect(await page.evaluate("globalThis.hit")).toBeUndefined();
  expect(look.problems).toEqual([]);
});

test("a search finds tools, calls, approvals and audit entries, as far as the person may see them", async () => {
  await using look = await lookAt(browser, gateway);
  const { page } = look;
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("refund");
  const groups = () =>
    page.locator(".palette-first").evaluateAll((all) => all.map((each) => (each as HTMLElement).dataset["group"]));
  await expect.poll(groups).toEqual(["Tools", "Calls", "Approvals", "Audit"]);
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.getByRole("option").filter({ hasText: "waiting" }).click();
  await expect.poll(() => page.url()).toMatch(/#\/approvals\/.+/);
  await page.keyboard.press("Control+k");
  await page.keyboard.type("nothing of that name");
  await page.getByText("No matches.").waitFor();
  expect(look.problems).toEqual([]);
  await gateway.people.add({ name: "searcher", passphrase, scopes: ["calls"] });
  await using other = await lookAt(browser, gateway, { as: "searcher" });
  await other.page.getByRole("heading", { level: 1 }).waitFor();
  await other.page.keyboard.press("Control+k");
  await other.page.keyboard.type("refund");
  await expect
    .poll(() =>
      other.page
        .locator(".palette-first")
        .evaluateAll((all) => all.map((each) => (each as HTMLElement).dataset["group"])),
    )
    .toEqual(["Calls"]);
});

async function act(page: Page, what: string): Promise<void> {
  await page
    .getByRole("row")
    .filter({ hasText: "<img src=x" })
    .getByRole("button", { name: /^Actions for/ })
    .click();
  await page.getByRole("menuitem", { name: what }).click();
}

async function secretIn(page: Page): Promise<string> {
  await page.getByText("not shown again").waitFor();
  return /biplane_t_[\w-]+/.exec(await page.getByRole("dialog").innerText())?.[0] ?? "";
}

function scopesOf(token: string): readonly string[] | undefined {
  const known = tokens.authenticate({ headers: { authorization: `Bearer ${token}` }, address: "127.0.0.1" });
  return (known as { scopes: readonly string[] } | undefined)?.scopes;
}

async function views(page: Page): Promise<readonly string[]> {
  const links = page.getByRole("navigation", { name: "Views" }).locator(".nav-link .grow");
  await links.first().waitFor();
  return links.allInnerTexts();
}

function shop() {
  return server({
    name: "shop",
    version: "1",
    tools: [tool({ name: "refund", description: "Refunds an order", run: () => "done" })],
    policies: [() => ask("Refund it?")],
  });
}
