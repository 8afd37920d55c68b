import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openChromium } from "../support/chromium.ts";
import { lookAt } from "../support/page.ts";
import { openShopGateway, problemsEverywhere } from "./approvals-server.ts";
import type { ShopGateway } from "./approvals-server.ts";

const weather = `# @description: Tells the <b>weather</b>
# @secrets: STATION_KEY, WEATHER_TOKEN
# @param city: string The city
# @param days?: integer = 2 How many days

def main(city, days = 2):
    print("asking for", city)
    return {"city": city, "days": days}

def shout(what = "hey", loud = True):
    return what.upper() if loud else what

# </pre><script>globalThis.hit=1</script> \u202Ekcart\u202C
`;

let browser: Browser;
let gateway: ShopGateway;

beforeAll(async () => {
  browser = await openChromium();
  gateway = await openShopGateway({ scripts: { weather, broken: "def main(:\n", plain: "result = 40 + 2\n" } });
  await gateway.secrets.set("STATION_KEY", "a long station key");
}, 120_000);

afterAll(async () => {
  await browser?.close();
  await gateway?.[Symbol.asyncDispose]();
});

describe("scripts", () => {
  test("are listed with what was decided, and found by name and status", async () => {
    await using look = await lookAt(browser, gateway, { hash: "#/scripts" });
    const { page } = look;
    const row = (name: string) => page.getByRole("row").filter({ hasText: name });
    await row("weather").getByText("pending", { exact: true }).waitFor();
    await row("weather").getByText("<b>weather</b>").waitFor();
    await row("broken").getByText("broken.star:1").waitFor();
    // What needs a decision comes first.
    expect(await page.getByRole("row").nth(3).innerText()).toContain("broken");
    await row("weather").getByRole("link", { name: "Review weather" }).waitFor();
    const entry = page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: /^Scripts/ });
    await expect.poll(() => entry.innerText()).toMatch(/Scripts\s+2\s+waiting/);
    await page.getByLabel("Status").selectOption("broken");
    await expect.poll(() => row("weather").count()).toBe(0);
    await expect.poll(() => page.url()).toContain("status=broken");
    await page.getByLabel("Search name or description").fill("nothing like it");
    await page.getByText("No matching scripts").waitFor();
    await page.getByRole("button", { name: "Show all scripts" }).click();
    await row("plain").waitFor();
    expect(await problemsEverywhere(page)).toEqual([]);
    expect(look.problems).toEqual([]);
  });

  test("one is read, tried, approved by the bytes that were seen, changed, compared and rejected", async () => {
    await using look = await lookAt(browser, gateway, { hash: "#/scripts/weather" });
    const { page } = look;
    const call = () => gateway.execute("script_run", { name: "weather", function: "main", args: ["Oslo"] });
    const source = page.getByRole("region", { name: "Source", exact: true });
    await source.getByText("def", { exact: true }).first().waitFor();
    await expect.poll(() => source.innerText()).toContain("<script>globalThis.hit=1</script>");
    await expect.poll(() => source.locator(".mark").allInnerTexts()).toEqual(["RLO", "PDF"]);
    await expect.poll(() => source.locator(".token-keyword").count()).toBeGreaterThan(3);
    const secrets = page.getByRole("listitem");
    await secrets.filter({ hasText: "STATION_KEY" }).getByText("set", { exact: true }).waitFor();
    await secrets.filter({ hasText: "WEATHER_TOKEN" }).getByText("missing").waitFor();
    expect((await call()).status).toBe(202);
    await page.getByRole("button", { name: "Approve this version" }).click();
    await page.locator(".toast").filter({ hasText: "Approved this version of weather" }).waitFor();
    const entry = page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: /^Scripts/ });
    await expect.poll(() => entry.innerText()).toMatch(/Scripts\s+1\s+waiting/);
    expect(await call()).toMatchObject({ json: { result: { value: { city: "Oslo", days: 2 } } } });
    await page.getByRole("listitem").filter({ hasText: "approved by ada" }).getByText("this version").waitFor();

    gateway.write("weather", weather.replace("days = 2):", "days = 9):"));
    await page.getByRole("button", { name: "Reject…" }).click();
    await page.getByLabel("Reason").fill("too slow");
    await page.getByRole("dialog").getByRole("button", { name: "Reject", exact: true }).click();
    await page.getByText("The script has changed since you opened it. Nothing was decided.").waitFor();
    expect(await problemsEverywhere(page)).toEqual([]);
    await page.getByRole("button", { name: "Show the new version" }).click();
    await page.getByRole("tab", { name: "Changes" }).click();
    const diff = page.getByRole("region", { name: "Changes since the last approval" });
    await expect.poll(() => diff.locator(".diff-new").allInnerTexts()).toEqual([expect.stringContaining("days = 9")]);
    expect((await call()).status).toBe(202);
    expect(await problemsEverywhere(page)).toEqual([]);
    await page.getByRole("button", { name: "Reject…" }).click();
    await page.getByLabel("Reason").fill("too many days");
    await page.getByRole("dialog").getByRole("button", { name: "Reject", exact: true }).click();
    await page.locator(".toast").filter({ hasText: "Rejected this version of weather" }).waitFor();
    expect(JSON.stringify((await call()).json)).toContain("too many days");
    gateway.write("weather", weather.replace("days = 2):", "days = 8):"));
    await page.goto(`${gateway.url}/#/scripts`);
    await page
      .getByRole("row")
      .filter({ hasText: "weather" })
      .getByText(/^last approved by ada/)
      .first()
      .waitFor();
    await page.goto(`${gateway.url}/#/approvals?tab=grants`);
    await page
      .getByRole("row")
      .filter({ hasText: "weather.star" })
      .getByText("not in effect")
      .filter({ visible: true })
      .waitFor();
    expect(await page.evaluate("globalThis.hit")).toBeUndefined();
    expect(look.problems).toEqual([]);
  });

  test("a dry run has a form for the parameters, and nothing real in reach", async () => {
    gateway.write("weather", weather);
    await using look = await lookAt(browser, gateway, { hash: "#/scripts/weather" });
    const { page } = look;
    const result = page.locator(".card").filter({ hasText: "Result" });
    await page.getByRole("button", { name: "Run" }).click();
    expect(await result.count()).toBe(0);
    await page.getByLabel(/^city/).fill("<i>Oslo</i>");
    await expect.poll(() => page.getByLabel(/^days/).inputValue()).toBe("2");
    await page.getByRole("button", { name: "Run" }).click();
    await result.getByText("done", { exact: true }).waitFor();
    await expect.poll(() => result.innerText()).toContain('city: "<i>Oslo</i>"');
    await expect.poll(() => result.innerText()).toContain("asking for <i>Oslo</i>");
    expect(await problemsEverywhere(page)).toEqual([]);
    await page.getByLabel("Function").selectOption("shout");
    await page.getByLabel(/^what/).fill("ho");
    await page.getByRole("button", { name: "Run" }).click();
    await result.getByText('"HO"').waitFor();
    gateway.write("weather", `${weather}# more\n`);
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByText("The script has changed since you opened it. Reload it, then try again.").waitFor();
    expect(look.problems).toEqual([]);
  });

  test("one without a function runs as it is, and one that is broken says why and cannot be approved", async () => {
    await using look = await lookAt(browser, gateway, { hash: "#/scripts/plain" });
    const { page } = look;
    await page.getByText("No input required.").waitFor();
    await page.getByRole("button", { name: "Run" }).click();
    await page.locator(".card").filter({ hasText: "Result" }).getByText("42", { exact: true }).waitFor();
    await page.goto(`${gateway.url}/#/scripts/broken`);
    await page.getByText("This script cannot run: broken.star:1").waitFor();
    expect(await page.getByRole("button", { name: /Approve/ }).count()).toBe(0);
    await page.goto(`${gateway.url}/#/scripts/nothing`);
    await page.getByText("There is no such script").waitFor();
    expect(look.problems).toEqual([]);
  });
});
