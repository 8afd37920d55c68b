import fc from "fast-check";
import { expect, test } from "vitest";
import { getCall, insertCalls, listCalls } from "../../packages/biplane/src/store/calls.ts";
import type { CallQuery } from "../../packages/biplane/src/store/calls.ts";
import type { CallRow } from "../../packages/biplane/src/store/tables.ts";
import { describeEngines } from "../support/each-engine.ts";
import { runs } from "../support/runs.ts";
import { callRow } from "./call-row.ts";

const row = (n: number) => callRow(n, 1_700_000_000_000 + n);

describeEngines("calls", ({ open }) => {
  test("are listed page by page, newest first, with any filter", async () => {
    const store = await open();
    const all = Array.from({ length: 250 }, (_, n) => row(n));
    await insertCalls(store, all);
    await insertCalls(store, all.slice(0, 3)); // again, as if the answer of the first attempt had been lost
    expect(await getCall(store, row(7).id)).toEqual(row(7));
    const queries = fc.record({
      server: fc.constantFrom(undefined, "game", "none"),
      route: fc.constantFrom(undefined, "mcp", "code"),
      outcome: fc.constantFrom(undefined, "failed", "done", "TIMEOUT"),
      episode: fc.constantFrom(undefined, "e1", "e2"),
      tool: fc.constantFrom(undefined, "ECHO", "sh", "%_s", "_", "absent"),
      agent: fc.constantFrom(undefined, "ann", "BOB", "%"),
      principal: fc.constantFrom(undefined, "agent", "2"),
      slower: fc.constantFrom(undefined, 0, 50, 200),
      since: fc.constantFrom(undefined, 1_700_000_000_000, 1_700_000_000_100),
      until: fc.constantFrom(undefined, 1_700_000_000_050, 1_700_000_000_200),
      limit: fc.integer({ min: 1, max: 100 }),
    });
    await fc.assert(
      fc.asyncProperty(queries, async (query) => {
        const found: string[] = [];
        let after: string | undefined;
        do {
          const page = await listCalls(store, { ...query, after });
          expect(page.calls.length).toBeLessThanOrEqual(query.limit);
          found.push(...page.calls.map(({ id }) => id));
          after = page.next ?? undefined;
        } while (after !== undefined);
        expect(found).toEqual(matching(all, query).map(({ id }) => id));
      }),
      runs(60),
    );
  });
});

function matching(all: readonly CallRow[], query: CallQuery): CallRow[] {
  const has = (text: string, part: string | undefined) => text.toLowerCase().includes((part ?? "").toLowerCase());
  return all
    .filter(
      (call) =>
        (query.server === undefined || call.server === query.server) &&
        (query.route === undefined || call.route === query.route) &&
        (query.episode === undefined || call.episode === query.episode) &&
        (query.outcome === undefined ||
          call.outcome === query.outcome ||
          (query.outcome === "failed" && call.is_failed === 1)) &&
        call.duration_ms - call.waited_ms >= (query.slower ?? 0) &&
        call.at >= (query.since ?? 0) &&
        call.at < (query.until ?? Infinity) &&
        has(call.tool, query.tool) &&
        has(call.agent_id, query.agent) &&
        has(call.principal_id, query.principal),
    )
    .toReversed();
}
