import { expect, test } from "vitest";
import { openStore } from "biplane/store";
import { openAudit } from "../../../packages/biplane/src/governance/audit/audit.ts";
import { queryAudit } from "../../../packages/biplane/src/governance/audit/query.ts";
import { verifyAudit } from "../../../packages/biplane/src/governance/audit/verify.ts";
import { within } from "../../support/within.ts";
import { FragileStore, StoreFile, entry, requestsIn } from "./fixture.ts";

const onFault = (fault: unknown) => expect.unreachable(String(fault));

test("keeps a line per call, and the chain verifies", async () => {
  await using file = await StoreFile.open();
  const audit = openAudit({ store: file.store, onFault });
  expect(audit.record(entry("1"))).toBeUndefined();
  void audit.record(entry("2", { outcome: "POLICY_DENIED", message: "Not on Sundays", session: undefined }));
  void audit.record(entry("3", { approvedBy: "person ada", durationMs: 0.12345 }));
  await audit.flush();
  expect(await queryAudit(file.store, { order: "oldest" })).toEqual([
    {
      sequence: 1,
      kind: "call",
      time: "2026-01-01T00:00:00.000Z",
      requestId: "1",
      principal: { kind: "token", id: "ada" },
      agent: { agentId: "agent", model: "model" },
      tool: "customer_find",
      route: "mcp",
      session: "session",
      decision: "allowed",
      outcome: "done",
      durationMs: 1.5,
      input: { name: "Grace" },
      previous: "0".repeat(64),
      hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    },
    expect.objectContaining({ sequence: 2, decision: "denied", outcome: "POLICY_DENIED", message: "Not on Sundays" }),
    expect.objectContaining({ sequence: 3, decision: "approved", approvedBy: "person ada", durationMs: 0.123 }),
  ]);
  expect(await verifyAudit(file.store)).toMatchObject({ ok: true, lines: 3 });
  await audit.close();
});

test("keeps lines without being asked", async () => {
  await using store = await openStore(":memory:");
  const isKept = new Promise<void>((resolve) => {
    const append: typeof store.audit.append = async (lines) => {
      await store.audit.append(lines);
      resolve();
    };
    void openAudit({ store: { audit: { ...store.audit, append } }, onFault }).record(entry("1"));
  });
  await within(1000, "keeping a line", isKept);
  expect(await requestsIn(store)).toEqual(["1"]);
});

test("closing keeps what was recorded, and a new log goes on with the same chain", async () => {
  await using file = await StoreFile.open();
  for (const run of ["a", "b", "c"]) {
    await using audit = openAudit({ store: file.store, onFault });
    for (let at = 0; at < 100; at++) void audit.record(entry(`${run}${at}`));
  }
  expect(await verifyAudit(file.store)).toMatchObject({ ok: true, lines: 300 });
});

test("an empty log verifies", async () => {
  await using store = await openStore(":memory:");
  await openAudit({ store, onFault }).close();
  expect(await verifyAudit(store)).toEqual({ ok: true, lines: 0, head: "0".repeat(64) });
});

test("a strict log's promise resolves when the line is there, and calls of one turn share a commit", async () => {
  await using file = await StoreFile.open();
  const store = new FragileStore(file.store);
  await using audit = openAudit({ store, strict: true, onFault });
  await audit.record(entry("1"));
  expect(await requestsIn(store)).toEqual(["1"]);
  await Promise.all(["2", "3", "4"].map(async (id) => audit.record(entry(id))));
  expect(await requestsIn(store)).toEqual(["1", "2", "3", "4"]);
  expect(store.appended).toEqual([1, 3]);
});

test("of several commits, each answers for its own lines only", async () => {
  await using file = await StoreFile.open();
  await using audit = openAudit({ store: file.store, strict: true, maxBatch: 2, onFault });
  const numbers = [1, 2, 3, 4, 5, 6, 7];
  const record = async (number: number) => {
    await audit.record(entry(String(number)));
    return (await file.store.audit.last())?.sequence;
  };
  expect(await Promise.all(numbers.map(record))).toEqual([2, 2, 4, 4, 6, 6, 7]);
});

test("much at once is kept in several commits, with turns for others in between", async () => {
  await using file = await StoreFile.open();
  const store = new FragileStore(file.store);
  await using audit = openAudit({ store, maxBatch: 100, onFault });
  for (let at = 0; at < 1000; at++) void audit.record(entry(String(at)));
  const big = { text: "x".repeat(8000) };
  for (let at = 1000; at < 1100; at++) void audit.record(entry(String(at), { input: big }));
  let turns = 0;
  const count = setInterval(() => turns++, 0);
  await audit.flush();
  clearInterval(count);
  expect(store.appended.slice(0, 10)).toEqual(Array(10).fill(100));
  expect(store.appended.length, "long lines make shorter commits").toBeGreaterThan(13);
  expect(turns).toBeGreaterThan(5);
  expect(await requestsIn(store)).toEqual(Array.from({ length: 1100 }, (_, at) => String(at)));
});

test("queries go page by page, in either order, and pick by tool, principal and code", async () => {
  await using file = await StoreFile.open();
  const { store } = file;
  const audit = openAudit({ store, onFault });
  for (let at = 1; at <= 2500; at++) {
    const isRare = at % 1000 === 0;
    void audit.record(
      entry(String(at), {
        tool: isRare ? "rare" : "common",
        outcome: isRare ? "TIMEOUT" : "done",
        principal: { kind: "token", id: at === 7 ? "grace" : "ada" },
      }),
    );
  }
  await audit.close();
  const numbers = async (query: Parameters<typeof queryAudit>[1]) =>
    (await queryAudit(store, query)).map(({ sequence }) => sequence);
  expect(await numbers({ tool: "rare" })).toEqual([2000, 1000]);
  expect(await numbers({ code: "TIMEOUT", order: "oldest" })).toEqual([1000, 2000]);
  expect(await numbers({ principal: "grace", tool: "common" })).toEqual([7]);
  expect(await numbers({ principal: "grace", tool: "rare" })).toEqual([]);
  expect(await numbers({ limit: 3 })).toEqual([2500, 2499, 2498]);
  expect(await numbers({ limit: 3, after: 2498 })).toEqual([2497, 2496, 2495]);
  expect(await numbers({ limit: 2, after: 2, order: "oldest" })).toEqual([3, 4]);
  expect(await numbers({ limit: 2, after: 1 })).toEqual([]);
  expect(await numbers({ limit: 0 })).toEqual([]);
  const all = await numbers({ limit: Infinity });
  expect(all).toEqual(Array.from({ length: 2500 }, (_, at) => 2500 - at));
});
