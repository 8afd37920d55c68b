import { expect, test } from "vitest";
import { openStore } from "biplane/store";
import { AuditChecks } from "../../../packages/biplane/src/governance/audit/audit-checks.ts";

test("a check counts as one of the whole log only if it began at its start", async () => {
  const store = await openStore(":memory:");
  await store.audit.append("an entry");
  await store.db.updateTable("audit").set({ line: "no entry of the chain" }).execute();
  const checks = new AuditChecks(store, () => 0);
  expect(await checks.next({ after: 1, head: "made up" })).toMatchObject({ ok: true, next: null });
  expect(checks.last).toBeUndefined();
  expect(await checks.next({})).toMatchObject({ ok: false, lines: 0 });
  expect(checks.last).toMatchObject({ at: "1970-01-01T00:00:00.000Z", ok: false, lines: 0 });
  await store.close();
});
