import fc from "fast-check";
import { expect, test } from "vitest";
import { openStore } from "biplane/store";
import { openAudit } from "../../../packages/biplane/src/governance/audit/audit.ts";
import { queryAudit } from "../../../packages/biplane/src/governance/audit/query.ts";
import type { AuditLog } from "../../../packages/biplane/src/store/audit-log.ts";
import { runs } from "../../support/runs.ts";
import { entry } from "./fixture.ts";
import { anyCharacter } from "../../support/any-character.ts";

const onFault = (fault: unknown) => expect.unreachable(String(fault));

test("the lines of a rare tool are found without reading the others", async () => {
  await using store = await openStore(":memory:");
  {
    await using audit = openAudit({ store, onFault });
    for (let at = 0; at < 3000; at++)
      void audit.record(entry(`r${at}`, { tool: at % 1000 === 7 ? "rare" : "usual", input: { tool: "rare" } }));
  }
  const log = countingLog(store.audit);
  const newest = await queryAudit(log, { tool: "rare" });
  expect(newest.map(({ sequence }) => sequence)).toEqual([2008, 1008, 8]);
  expect(log.count).toBe(3);
  expect(await queryAudit(log, { tool: "rare", order: "oldest", after: 8, limit: 1 })).toMatchObject([
    { sequence: 1008 },
  ]);
  expect(log.count).toBe(4);
  expect(await queryAudit(log, { limit: 5 })).toHaveLength(5);
  expect(log.count).toBe(9);
  expect(await queryAudit(log, { requestId: "r1" })).toMatchObject([{ sequence: 2 }]);
});

test("a tool with any name is found by it, and no other", async () => {
  await using store = await openStore(":memory:");
  await using audit = openAudit({ store, onFault });
  const name = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 20 }),
    fc.string({ unit: fc.constantFrom('"', "\\", "a", "\0", "é", "\ud83d", ",", ":"), maxLength: 6 }),
    fc.integer({ min: 90, max: 210 }).map((length) => "x".repeat(length)),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(name, { minLength: 1, maxLength: 6 }), async (names) => {
      const before = (await store.audit.last())?.sequence ?? 0;
      for (const tool of names) void audit.record(entry("r", { tool }));
      await audit.flush();
      for (const tool of names) {
        const found = await queryAudit(store, { tool, order: "oldest", after: before });
        const expected = names.flatMap((each, at) => (each === tool ? [before + 1 + at] : []));
        expect(found.map(({ sequence }) => sequence)).toEqual(expected);
      }
    }),
    runs(100),
  );
});

/** Counts the lines that are read. */
function countingLog(log: AuditLog): { readonly audit: AuditLog; count: number } {
  const counting = {
    count: 0,
    audit: {
      ...log,
      read: async (options: Parameters<AuditLog["read"]>[0]) => {
        const lines = await log.read(options);
        counting.count += lines.length;
        return lines;
      },
    },
  };
  return counting;
}
