import type { Admin } from "./admin.ts";
import type { View } from "./camera.ts";
import type { PlayedEpisodes } from "./episodes.ts";

/** Every view of a server with data. */
export async function richViews(ada: Admin, episodes: PlayedEpisodes): Promise<readonly View[]> {
  const first = async (line: string, list: string) =>
    encodeURIComponent(String((await ada.ask<Record<string, { id: string }[]>>(line))[list]?.[0]?.id));
  const waiting = (await ada.ask<{ approvals: { id: string; tool: string }[] }>("GET /api/approvals?status=waiting"))
    .approvals;
  const waitingFor = (tool: string) => waiting.find((each) => each.tool === tool)?.id ?? "";
  const traces = async (run: string, query: string) =>
    (await ada.ask<{ traces: { id: string; rowId: string }[] }>(`GET /api/runs/${run}/traces?${query}`)).traces;
  const lost = await traces("baseline-mini", "order=reward&limit=20&maxReward=0");
  const solved = await traces("baseline-sonnet", "order=-reward&limit=100&minReward=1");
  const [support] = await traces("support-mini", "limit=1");
  // The same task, lost by one model and solved by the other.
  const pairs = lost.map((trace) => [solved.find(({ rowId }) => rowId === trace.rowId), trace] as const);
  const [left, right] = pairs.find(([other]) => other !== undefined) ?? [];
  const compared = `left=${encodeURIComponent(left?.id ?? "")}&right=${encodeURIComponent(right?.id ?? "")}`;
  return [
    { name: "tools", hash: "#/tools", waitFor: "order_refund" },
    { name: "tool", hash: "#/tools/support-team/order_refund", waitFor: "Refund an order" },
    {
      name: "live-call",
      hash: `#/live/${await first("GET /api/calls?tool=order_refund&limit=1", "calls")}`,
      waitFor: "Timeline",
    },
    { name: "approvals", hash: "#/approvals", waitFor: "Refund 349.5" },
    { name: "approval", hash: `#/approvals/${waitingFor("order_refund")}`, waitFor: "Your decision" },
    { name: "approval-long", hash: `#/approvals/${waitingFor("mail_send")}`, waitFor: "Your decision" },
    { name: "approvals-answered", hash: "#/approvals?tab=answered", waitFor: "ben" },
    {
      name: "approval-answered",
      hash: `#/approvals/${await first("GET /api/approvals?status=used&limit=1", "approvals")}`,
      waitFor: "Input of",
    },
    { name: "grants", hash: "#/approvals?tab=grants", waitFor: "Standing approvals" },
    {
      name: "grant",
      hash: "#/approvals?tab=grants",
      waitFor: "exact input",
      prepare: async (page) => {
        await page
          .getByRole("button", { name: /exact input/ })
          .first()
          .click();
        await page.getByRole("dialog").getByText("Fingerprint").waitFor();
      },
    },
    { name: "notifications", hash: "#/approvals?tab=notifications", waitFor: "ops-channel" },
    { name: "policies", hash: "#/policies", waitFor: "read-freely" },
    { name: "policies-test", hash: "#/policies?tab=test", waitFor: "Test" },
    { name: "policies-published", hash: "#/policies?tab=published", waitFor: "Dry run" },
    { name: "scripts", hash: "#/scripts", waitFor: "daily_report" },
    { name: "script", hash: "#/scripts/goodwill_voucher", waitFor: "GW-" },
    { name: "episodes", hash: "#/episodes", waitFor: "connect-four" },
    ...Object.entries(episodes).map(([name, id]) => ({
      name: `episode-${name}`,
      hash: `#/episodes/${id}`,
      waitFor: "Steps",
    })),
    { name: "runs", hash: "#/runs", waitFor: "GRPO step 250" },
    { name: "runs-trend", hash: "#/runs?target=frozen-lake", waitFor: "GRPO step 250" },
    { name: "run", hash: "#/runs/baseline-sonnet", waitFor: "Reward distribution" },
    { name: "run-failed", hash: "#/runs/outage", waitFor: "rollouts failed" },
    { name: "run-stopped", hash: "#/runs/grpo-step-300", waitFor: "Reward distribution" },
    {
      name: "runs-compare",
      hash: "#/runs/compare?runs=baseline-mini,baseline-sonnet,grpo-step-250",
      waitFor: "Why rollouts ended",
    },
    { name: "trace", hash: traceHash(lost[0]?.id ?? ""), waitFor: "lake_move" },
    { name: "trace-support", hash: traceHash(support?.id ?? ""), waitFor: "message_customer" },
    { name: "traces-compare", hash: `#/runs/compare?${compared}`, waitFor: "Steps" },
    { name: "audit", hash: "#/audit", waitFor: "order_" },
    { name: "secrets", hash: "#/secrets", waitFor: "CRM_TOKEN" },
    { name: "connections", hash: "#/connections", waitFor: "Connections" },
    { name: "settings", hash: "#/settings/configuration", waitFor: "policyDefault" },
    { name: "settings-people", hash: "#/settings/people", waitFor: "dora" },
    { name: "settings-tokens", hash: "#/settings/tokens", waitFor: "refund-agent" },
    { name: "settings-account", hash: "#/settings/account", waitFor: "Your tokens" },
    { name: "settings-about", hash: "#/settings/about", waitFor: "Biplane version" },
    // Last, because then there were calls for some minutes.
    { name: "overview", hash: "#/overview", waitFor: "Latest calls" },
    { name: "live", hash: "#/live", waitFor: "order_get" },
  ];
}

/** What a server shows before anything has happened. */
export const emptyViews: readonly View[] = [
  { name: "empty-overview", hash: "#/overview", waitFor: "Overview" },
  { name: "empty-live", hash: "#/live", waitFor: "No calls yet" },
  { name: "empty-approvals", hash: "#/approvals", waitFor: "No calls are waiting" },
  { name: "empty-answered", hash: "#/approvals?tab=answered", waitFor: "Nothing answered yet" },
  { name: "empty-grants", hash: "#/approvals?tab=grants", waitFor: "No standing approvals" },
  { name: "empty-notifications", hash: "#/approvals?tab=notifications", waitFor: "Nobody is notified yet" },
  { name: "empty-policies", hash: "#/policies", waitFor: "Policies" },
  { name: "empty-scripts", hash: "#/scripts", waitFor: "Scripts" },
  { name: "empty-episodes", hash: "#/episodes", waitFor: "Episodes" },
  { name: "empty-runs", hash: "#/runs", waitFor: "Runs" },
  { name: "empty-audit", hash: "#/audit", waitFor: "Audit" },
  { name: "empty-secrets", hash: "#/secrets", waitFor: "Secrets" },
  { name: "empty-connections", hash: "#/connections", waitFor: "Connections" },
];

/** What people see who are not signed in. */
export async function startViews(ada: Admin): Promise<readonly View[]> {
  const { key } = await ada.ask<{ key: string }>("POST /api/invitations", {
    role: "approver",
    days: 7,
    note: "Grace",
  });
  return [
    { name: "start-sign-in", hash: "", waitFor: "Sign in" },
    { name: "start-invitation", hash: `#/invite/${key}`, waitFor: "ada invites you" },
  ];
}

function traceHash(trace: string): string {
  const run = trace.slice(0, trace.lastIndexOf(":"));
  return `#/runs/${encodeURIComponent(run)}/${encodeURIComponent(trace)}`;
}
