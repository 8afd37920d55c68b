import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStore } from "biplane/store";
import { openApprovals } from "../../packages/biplane/src/governance/approvals/approvals.ts";
import { verifyAudit } from "../../packages/biplane/src/governance/audit/verify.ts";
import { needsPostgres, startPostgres } from "../support/postgres.ts";
import type { TestPostgres } from "../support/postgres.ts";
import { Calls, callers } from "./chaos/call-tools.ts";
import { limit, startChaosFleet } from "./chaos/chaos-fleet.ts";
import { countFaults, lostCalls } from "./chaos/count-faults.ts";
import { disturb } from "./chaos/disturb.ts";
import { Journal } from "./chaos/journal.ts";
import { plays, replay } from "./chaos/play.ts";
import type { Played } from "./chaos/play.ts";

const isSoak = process.env["BIPLANE_SOAK"] !== undefined;
const kills = Number(process.env["BIPLANE_KILLS"] ?? (isSoak ? 200 : 2));

describe("three servers that are killed, paused and replaced while their database crashes", needsPostgres, () => {
  let postgres: TestPostgres | undefined;
  beforeAll(async () => {
    postgres = await startPostgres({ isDurable: true });
  }, 120_000);
  afterAll(() => postgres?.[Symbol.asyncDispose]());

  it.each(["simulation", "production"] as const)(
    "keep their promises in %s",
    { timeout: 3 * 3_600_000 },
    async (mode) => {
      await using fleet = await startChaosFleet(postgres as TestPostgres, mode);
      const journal = new Journal({ restMs: isSoak ? 0 : 15 });
      const calls = new Calls();
      const played: (Played & { readonly protocol: string })[] = [];
      const over = new AbortController();
      const startedAt = performance.now();
      const lake = `${fleet.url}/env/frozen-lake`;
      const playing = (mode === "simulation" ? Object.entries(plays) : []).map(async ([protocol, play], at) => {
        for (let episode = 0; !over.signal.aborted; episode++)
          await journal.attempt(protocol, async () => {
            played.push({ protocol, ...(await play(lake, at * 1_000_000 + episode, journal)) });
          });
      });
      const calling = Object.values(callers).map((call) =>
        call({ url: `${fleet.url}/env/world`, calls, journal }, over.signal),
      );
      const approving = approveAll(fleet.location, over.signal);
      const done = await disturb({
        servers: fleet.servers,
        links: fleet.links,
        postgres: postgres as TestPostgres,
        kills,
        // Pauses, rolling restarts and crashes of the database take too long for every day.
        withAll: isSoak,
        random: Math.random,
      });
      over.abort();
      await Promise.all([...playing, ...calling, approving]);
      const seconds = (performance.now() - startedAt) / 1000;

      await using store = await openStore(fleet.location);
      const audit = await verifyAudit(store);
      let steps = 0;
      const wrong: unknown[] = [];
      for (const each of played) {
        steps += each.positions.length;
        const expected = { protocol: each.protocol, ...(await replay(each.seed)) };
        if (JSON.stringify(expected) !== JSON.stringify(each)) wrong.push({ each, expected });
      }
      const ledger = fleet.ledger();
      const faults = countFaults({ ledger, calls, allowed: limit.burst + limit.perSecond * seconds });
      const report = {
        mode,
        seconds: Math.round(seconds),
        ...done,
        episodes: played.length,
        steps,
        calls: calls.acknowledged.size,
        tasks: calls.tasks.size,
        "not known whether made": calls.unknown.size,
        "audit lines": audit.ok ? audit.lines : 0,
        retries: journal.retries,
        "longest pause in ms": Math.round(journal.longestPauseMs),
        "in it": journal.slowest,
        "episodes that differ": wrong.length,
        "audit chain whole": audit.ok,
        ...faults,
        lost: lostCalls({ ledger, calls }),
      };
      process.stdout.write(`${JSON.stringify(report)}\n`);
      expect(wrong).toEqual([]);
      expect(journal.failures).toEqual([]);
      expect(audit).toMatchObject({ ok: true });
      expect(Object.entries(faults).filter(([, count]) => count > 0)).toEqual([]);
      expect(calls.acknowledged.size).toBeGreaterThan(kills);
    },
  );
});

/** A person approves each refund once and rejects it later, also while the database comes and goes. */
async function approveAll(location: string, over: AbortSignal): Promise<void> {
  await using store = await openStore(location);
  await using approvals = openApprovals({ store });
  const approved = new Set<string>();
  while (!over.aborted) {
    const waiting = await approvals.list({ status: "waiting", limit: 1000 }).catch(() => []);
    for (const { id, input } of waiting) {
      const refund = (input as { id: string }).id;
      const answer = approved.has(refund)
        ? ({ verdict: "reject", reason: "It was approved before." } as const)
        : ({ verdict: "approve", scope: { kind: "once" } } as const);
      approved.add(refund);
      await approvals.answer([id], answer, { kind: "person", id: "ada", scopes: ["*"] }).catch(() => undefined); // Whether it was approved is not known, so it is not approved again.
    }
    await pause(50);
  }
}
