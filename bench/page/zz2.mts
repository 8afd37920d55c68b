import { openChromium } from "../../test/support/chromium.ts";
import { startHouse } from "./house.ts";
import { flood } from "./flood.ts";
import { openPage } from "./stored.ts";
const browser = await openChromium();
const house = await startHouse("/tmp/many.db");
const o = await openPage(browser, house.url, "#/live");
const calls = await flood(house.url, 1000);
const session = await o.page.context().newCDPSession(o.page);
await session.send("Performance.enable"); await session.send("HeapProfiler.enable");
for (let i = 0; i < 8; i++) {
  await o.page.waitForTimeout(5000);
  for (let j = 0; j < 2; j++) await session.send("HeapProfiler.collectGarbage");
  const { metrics } = await session.send("Performance.getMetrics");
  const v = (n: string) => metrics.find((m) => m.name === n)?.value ?? 0;
  console.log(i * 5 + 5, "s", (v("JSHeapUsedSize") / 2**20).toFixed(1), "MB nodes", v("Nodes"), "listeners", v("JSEventListeners"), "dom", await o.page.evaluate("document.querySelectorAll('*').length"));
}
console.log(calls.stop());
await browser.close(); await house[Symbol.asyncDispose](); process.exit();
