import { expect, test } from "vitest";
import { openStore } from "biplane/store";
import { openAudit } from "../../../packages/biplane/src/governance/audit/audit.ts";
import { auditRange } from "../../../packages/biplane/src/governance/audit/audit-range.ts";
import { personEntry } from "../../../packages/biplane/src/governance/audit/person-entry.ts";
import { queryAuditPage } from "../../../packages/biplane/src/governance/audit/query.ts";
import { verifyAuditPart } from "../../../packages/biplane/src/governance/audit/verify.ts";

const by = { kind: "person", id: "ada", scopes: [] } as const;
const rare = { ...by, id: "rare" };
const start = Date.parse("2026-06-01T00:00:00Z");

async function openLog(lines: number) {
  const store = await openStore(":memory:");
  await using audit = openAudit({ store, maxDelayMs: 0, onFault: () => undefined });
  for (let at = 0; at < lines; at++)
    await audit.record(
      personEntry("usual", { input: { at }, by: at % 100 === 7 ? rare : by, time: start + at * 1000 }),
    );
  await audit.flush();
  return store;
}

test("the lines of a time range are found in any log, newest and oldest first", async () => {
  await using store = await openLog(300);
  const range = (since?: number, until?: number) =>
    auditRange(store.audit, {
      since: since === undefined ? undefined : start + since * 1000,
      until: until === undefined ? undefined : start + until * 1000,
    });
  expect(await range(10, 20)).toEqual({ first: 11, last: 20 });
  expect(await range(undefined, 1)).toEqual({ first: 1, last: 1 });
  expect(await range(299)).toEqual({ first: 300, last: 300 });
  expect(await range(1000)).toEqual({ first: 301, last: 300 });
  expect(await range()).toBeUndefined();
  const page = await queryAuditPage(store, { range: await range(10, 20), limit: 4 });
  expect(page.lines.map(({ sequence }) => sequence)).toEqual([20, 19, 18, 17]);
  const rest = await queryAuditPage(store, { range: await range(10, 20), limit: 100, after: page.next ?? 0 });
  expect([rest.lines.map(({ sequence }) => sequence), rest.next]).toEqual([[16, 15, 14, 13, 12, 11], null]);
  const oldest = await queryAuditPage(store, { range: await range(298), order: "oldest" });
  expect(oldest.lines.map(({ sequence }) => sequence)).toEqual([299, 300]);
  await using empty = await openStore(":memory:");
  expect(await auditRange(empty.audit, { since: 0 })).toEqual({ first: 1, last: 0 });
});

test("a page of rare matches reads a limited number of lines, and the next one goes on", async () => {
  await using store = await openLog(250);
  const found: number[] = [];
  let after: number | undefined;
  let pages = 0;
  do {
    const page = await queryAuditPage(store, {
      principal: "rare",
      maxExamined: 60,
      ...(after !== undefined && { after }),
    });
    found.push(...page.lines.map(({ sequence }) => sequence));
    after = page.next ?? undefined;
    pages++;
  } while (after !== undefined);
  expect([found, pages]).toEqual([[208, 108, 8], 5]);
});

test("a long log is verified in parts, and a part with false values begins again or fails", async () => {
  await using store = await openLog(20);
  const whole = await verifyAuditPart(store, {});
  expect(whole).toMatchObject({ ok: true, lines: 20, total: 20, next: null });
  expect(await verifyAuditPart(store, { after: 20, head: whole.head })).toMatchObject({ ok: true, lines: 20 });
  expect(await verifyAuditPart(store, { after: 5, head: "0".repeat(64) })).toMatchObject({ ok: false, lines: 5 });
});
