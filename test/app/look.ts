import { openApprovals } from "../../src/admin/approvals/approvals.ts";
import { tableApp } from "../../src/app/built-in.ts";
import { connect } from "../../src/client/connect.ts";
import { frozenLake } from "../../src/gallery/frozen-lake/frozen-lake.ts";
import { connectFour } from "../../src/gallery/connect-four/connect-four.ts";
import { approvalsPack } from "../../src/pack/approvals/pack.ts";
import { sqliteStore } from "../../src/store/sqlite.ts";
import { rules, server, tool } from "../../src/index.ts";
import { openStage } from "./built-in-stage.ts";

const which = process.argv[2] ?? "";
await using stage = await openStage();
const query = tool({ name: "query", description: "rows", ui: tableApp(), run: () => ({
  columns: ["city", "day", "orders", "revenue", "open", "note"],
  rows: Array.from({ length: 3000 }, (_, i) => [["Berlin","Paris","Rome","Oslo","Madrid","Wien","Praha"][i*i % 7], `2026-0${1 + i % 9}-1${i % 9}`, i * 7 % 53, Math.round(1000 * Math.abs(Math.sin(i))) / 10, i % 3 === 0, i % 5 ? "fine" : "<img src=x onerror=alert(1)> needs a second look because it is long"]),
}) });
const approvals = openApprovals({ store: sqliteStore(":memory:") });
const money = { type: "object", properties: { amount: { type: "number" }, to: { type: "string" } }, required: ["amount"] };
const refund = tool({ name: "refund", input: money, run: ({ amount }) => `refunded ${String(amount)}` });
const desk = () => server({ name: "desk", version: "1", tools: [query, refund], packs: [approvalsPack({ approvals, publicUrl: "http://127.0.0.1:8000" })],
  policies: [rules([{ tool: "refund", ask: "Refund {arguments.amount} to {arguments.to}?" }, { tool: "*", allow: true }])], approver: approvals } as never);
for (const [name, make, tool, inputs] of [
  ["frozen-lake", frozenLake, "lake_move", [{ action: "RIGHT" }]],
  ["connect-four", connectFour, "piece_drop", [{ column: 3 }, { column: 3 }, { column: 2 }, { column: 4 }, { column: 1 }]],
  ["table", desk, "query", [{}]],
  ["approvals", desk, "approvals_waiting", [{}]],
] as const) {
  if (!name.includes(which)) continue;
  const env = make();
  const { url } = await env.serve({ url: "http://127.0.0.1:0" });
  const client = await connect(`${url}/mcp`, { apps: true, era: "legacy" });
  for (const input of inputs.slice(1)) await client.callTool(tool, input);
  if (name === "approvals") {
    for (const amount of [120, 500, 80]) await client.callTool("refund", { amount, to: "Ada Lovelace" });
    const [one, two] = await approvals.list();
    await approvals.answer([one!.id], { verdict: "approve" }, { kind: "person", id: "ada", scopes: [] });
    await approvals.answer([two!.id], { verdict: "reject", reason: "The order was never paid" }, { kind: "person", id: "ada", scopes: [] });
  }
  for (const [theme, width] of [["light", 400], ["dark", 720]] as const) {
    const shown = await stage.show(client, { tool, input: inputs[0], theme, width });
    await shown.page.waitForTimeout(600);
    await shown.page.screenshot({ path: `/tmp/look-${name}-${theme}-${width}.png` });
    console.log(name, theme, await shown.view.evaluate("document.body.innerText.slice(0,200)"));
    if (name === "table") {
      await shown.view.getByRole("button", { name: "Chart" }).click();
      await shown.page.waitForTimeout(300);
      await shown.page.screenshot({ path: `/tmp/look-chart-${theme}-${width}.png` });
    }
    await shown.page.close();
  }
  await client.close();
  await env.close();
}
