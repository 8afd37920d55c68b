import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openChromium } from "../support/chromium.ts";
import { lookAt } from "../support/page.ts";
import { openShopGateway, problemsEverywhere } from "./approvals-server.ts";
import type { ShopGateway } from "./approvals-server.ts";

let browser: Browser;
let gateway: ShopGateway;

beforeAll(async () => {
  browser = await openChromium();
  gateway = await openShopGateway({ scripts: { report: "# @secrets: CRM_TOKEN\nresult = 1\n" } });
}, 120_000);

afterAll(async () => {
  await browser?.close();
  await gateway?.[Symbol.asyncDispose]();
});

describe("secrets", () => {
  test("one that a script needs is set, replaced and removed, and its value never comes back", async () => {
    await using look = await lookAt(browser, gateway, { hash: "#/secrets" });
    const { page } = look;
    const answers: string[] = [];
    page.on(
      "response",
      (response) =>
        void response.text().then(
          (text) => answers.push(text),
          () => undefined,
        ),
    );
    const row = page.getByRole("row").filter({ hasText: "CRM_TOKEN" });
    await page.getByText("No secrets").waitFor();
    await page.getByRole("button", { name: "Set CRM_TOKEN" }).click();
    const dialog = page.getByRole("dialog");
    const value = dialog.getByLabel("Value");
    await expect.poll(() => value.getAttribute("type")).toBe("password");
    await value.fill("short");
    await expect.poll(() => dialog.getByRole("button", { name: "Set", exact: true }).isDisabled()).toBe(true);
    await value.fill("first-value-of-the-secret");
    expect(await problemsEverywhere(page)).toEqual([]);
    await value.press("Enter");
    await page.locator(".toast").filter({ hasText: "Set CRM_TOKEN" }).waitFor();
    expect(gateway.secrets.get("CRM_TOKEN")).toBe("first-value-of-the-secret");
    await row.getByRole("link", { name: "report" }).waitFor();
    expect(await page.getByText("Missing secrets").count()).toBe(0);
    await row.getByRole("button", { name: "Replace CRM_TOKEN" }).click();
    await expect.poll(() => dialog.getByLabel("Value").inputValue()).toBe("");
    await dialog.getByLabel("Value").fill("second-value-of-the-secret");
    await dialog.getByRole("button", { name: "Replace", exact: true }).click();
    await expect.poll(() => gateway.secrets.get("CRM_TOKEN")).toBe("second-value-of-the-secret");
    expect(await problemsEverywhere(page)).toEqual([]);
    await row.getByRole("button", { name: "Remove CRM_TOKEN" }).click();
    await dialog.getByText("cannot be recovered").waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    expect(gateway.secrets.get("CRM_TOKEN")).toBe("second-value-of-the-secret");
    await row.getByRole("button", { name: "Remove CRM_TOKEN" }).click();
    await dialog.getByRole("button", { name: "Remove", exact: true }).click();
    await page.getByText("No secrets").waitFor();
    expect(gateway.secrets.names()).toEqual([]);
    expect(await page.content()).not.toContain("value-of-the-secret");
    expect(answers.join()).not.toContain("value-of-the-secret");
    expect(look.problems).toEqual([]);
  });

  test("a new one gets a name as names are, and many are searched", async () => {
    for (let at = 0; at < 12; at++) await gateway.secrets.set(`KEY_${at}`, "a value that is long");
    await using look = await lookAt(browser, gateway, { hash: "#/secrets" });
    const { page } = look;
    await page.getByRole("button", { name: "Set a secret" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("9lives");
    await dialog.getByText("starting with a letter").waitFor();
    await dialog.getByLabel("Name").fill("mail-password");
    await expect.poll(() => dialog.getByLabel("Name").inputValue()).toBe("MAIL_PASSWORD");
    await dialog.getByLabel("Value").fill("quite a long value");
    await dialog.getByRole("button", { name: "Set", exact: true }).click();
    await page.getByRole("row").filter({ hasText: "MAIL_PASSWORD" }).waitFor();
    await page.getByLabel("Search name", { exact: true }).fill("key_1");
    await expect.poll(() => page.getByRole("row").count()).toBe(4);
    await page.getByLabel("Search name", { exact: true }).fill("nothing");
    await page.getByText("No matching secrets").waitFor();
    expect(look.problems).toEqual([]);
  });
});
