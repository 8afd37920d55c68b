import { openChromium } from "../../test/support/chromium.ts";
import { measureLive } from "./live.ts";
import { measureFirst, measureRun } from "./stored.ts";
import { Table } from "./table.ts";
import { loadavg } from "node:os";
const table = new Table();
const browser = await openChromium();
const options = { browser, file: "/tmp/many.db", run: "many", rounds: Number(process.argv[3] ?? 3), table };
const what = process.argv[2]!;
try {
  if (what.includes("f")) { await measureFirst(options); table.print("first " + loadavg()[0]); }
  if (what.includes("r")) { await measureRun(options); table.print("run " + loadavg()[0]); }
  if (what.includes("l")) { await measureLive({ ...options, perSecond: 1000, seconds: Number(process.argv[4] ?? 10) }); table.print("live " + loadavg()[0]); }
} finally { await browser.close(); }
process.exit();
