import type { CallEnd, Measured } from "biplane";
import { createMetrics } from "biplane/observe";
import { expect, test, vi } from "vitest";
import { CallLog } from "../../packages/biplane/src/admin/calls/call-log.ts";
import { callSummary } from "../../packages/biplane/src/admin/calls/call-view.ts";
import type { AuditEntry } from "../../packages/core/src/call/audit.ts";
import { ada, agent, openKit } from "../governance/approvals/approval-server.ts";
import { readExposition, valueOf } from "./read-exposition.ts";

const hourMs = 3_600_000;

test("an hour of waiting for an approval is no run time: in metrics, figures, meters, hooks and the audit log", async () => {
  await using kit = await openKit();
  using metrics = createMetrics();
  const log = new CallLog();
  const entries: AuditEntry[] = [];
  const measured: Measured[] = [];
  const ended: CallEnd[] = [];
  for (const meter of [metrics, log.meterOf("kit"), { end: (each: Measured) => void measured.push(each) }])
    kit.server.measure(meter);
  kit.server
    .govern({ audit: { record: (entry) => void entries.push(entry) } })
    .watch({ onEnd: (end) => void ended.push(end) });

  const real = performance.now.bind(performance);
  let passedMs = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => real() + passedMs);
  try {
    const call = kit.server.call("refund", { amount: 5 }, { principal: agent, patienceMs: Infinity });
    const id = await kit.waiting();
    expect(log.figures.read()).toMatchObject({ running: 0, waiting: 1 });
    passedMs = hourMs;
    await kit.approvals.answer([id], { verdict: "approve" }, ada);
    await call;
  } finally {
    clock.mockRestore();
  }

  const families = readExposition(await metrics.text());
  const labels = { tool: "refund", route: "direct" };
  expect(valueOf(families, "biplane_call_wait_seconds_sum", labels)).toBeGreaterThanOrEqual(3600);
  expect(valueOf(families, "biplane_call_wait_seconds_bucket", { ...labels, le: "900" })).toBe(0);
  expect(valueOf(families, "biplane_call_duration_seconds_sum", labels)).toBeLessThan(3600);
  expect(log.figures.read()).toMatchObject({ running: 0, waiting: 0, calls: 1 });
  const [logged] = log.list({}, { limit: 1 }).calls;
  for (const times of [measured[0], ended[0], entries[0], logged && callSummary(logged)]) {
    const { durationMs = 0, waitedMs = 0 } = times ?? {};
    expect(waitedMs).toBeGreaterThanOrEqual(hourMs);
    expect(durationMs - waitedMs).toBeLessThan(hourMs);
  }
});

test("a tool that never waits has no series of waits", async () => {
  await using kit = await openKit({ policies: [] });
  using metrics = createMetrics();
  kit.server.measure(metrics);
  await kit.server.call("refund", { amount: 5 });
  expect(await metrics.text()).not.toContain("biplane_call_wait_seconds_count");
});
