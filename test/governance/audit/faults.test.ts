import { expect, test } from "vitest";
import { BiplaneError, server, tool } from "biplane";
import type { Audit } from "../../../packages/biplane/src/governance/audit/audit.ts";
import { openAudit } from "../../../packages/biplane/src/governance/audit/audit.ts";
import { Backlog } from "../../../packages/biplane/src/governance/audit/backlog.ts";
import type { AuditEntry } from "../../../packages/core/src/call/audit.ts";
import { verifyAudit } from "../../../packages/biplane/src/governance/audit/verify.ts";
import { collectFaults } from "../../support/faults.ts";
import { FragileStore, StoreFile, entry, requestsIn } from "./fixture.ts";

test("a broken store is reported once, and what waited for it is kept when it is mended", async () => {
  await using setting = await Setting.open();
  const { audit, store, faults } = setting;
  store.isBroken = true;
  for (const id of ["1", "2", "3"]) expect(audit.record(entry(id))).toBeUndefined();
  await expect(audit.flush()).rejects.toThrow("the disk is full");
  void audit.record(entry("4"));
  await expect(audit.flush()).rejects.toMatchObject({ code: "INTERNAL" });
  expect(faults).toEqual(["The audit log cannot be written: the disk is full"]);
  store.isBroken = false;
  await audit.flush();
  expect(await requestsIn(store)).toEqual(["1", "2", "3", "4"]);
  expect(await verifyAudit(store)).toMatchObject({ ok: true, lines: 4 });
  store.isBroken = true;
  void audit.record(entry("5"));
  await expect(audit.flush()).rejects.toThrow("the disk is full");
  expect(faults, "a new break is new").toHaveLength(2);
  store.isBroken = false;
});

test("a mended store gets its lines without being asked", async () => {
  await using setting = await Setting.open();
  const { audit, store } = setting;
  store.isBroken = true;
  void audit.record(entry("1"));
  await expect(audit.flush()).rejects.toThrow("the disk is full");
  store.isBroken = false;
  await expect.poll(() => requestsIn(store)).toEqual(["1"]);
});

test("lines that do not fit in the buffer are counted, and one line says how many were lost", async () => {
  await using setting = await Setting.open({ maxWaiting: 10 });
  const { audit, store, faults } = setting;
  store.isBroken = true;
  for (let id = 1; id <= 25; id++) void audit.record(entry(String(id)));
  await expect(audit.flush()).rejects.toThrow("the disk is full");
  void audit.record(entry("26"));
  expect(faults.filter((fault) => fault.includes("is full until"))).toHaveLength(1);
  store.isBroken = false;
  await audit.flush();
  void audit.record(entry("27"));
  await audit.flush();
  expect(await requestsIn(store)).toEqual(["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", 16, "27"]);
  expect(await verifyAudit(store)).toMatchObject({ ok: true, lines: 12 });
});

test("long lines fill the buffer before many lines do", () => {
  const onFault = (fault: unknown) => expect.unreachable(String(fault));
  const backlog = new Backlog({ maxLines: 100_000, maxGroup: 100, onFault });
  const input = "x".repeat(8000);
  while (!backlog.isFull && backlog.length < 20_000) backlog.push(entry("request", { input }));
  expect(backlog.length).toBeLessThan(10_000);
  while (backlog.isFull) backlog.removeFirst();
  expect(backlog.length).toBeGreaterThan(7000);
});

test("a strict log rejects while the store is broken, and reports no fault to callers that do not wait", async () => {
  await using uncaught = collectFaults();
  await using setting = await Setting.open({ strict: true, maxWaiting: 2 });
  const { audit, store } = setting;
  store.isBroken = true;
  void audit.record(entry("1"));
  await expect(audit.record(entry("2"))).rejects.toMatchObject({ code: "INTERNAL" });
  void audit.record(entry("3"));
  await expect(audit.record(entry("4"))).rejects.toMatchObject({ code: "CAPACITY" });
  store.isBroken = false;
  await audit.flush();
  await audit.record(entry("5"));
  expect(await requestsIn(store)).toEqual(["1", "2", 2, "5"]);
  expect(await uncaught.settled()).toEqual([]);
});

test("while a strict log cannot be written no tool runs, and calls run again once it can", async () => {
  await using setting = await Setting.open({ strict: true });
  const { audit, store } = setting;
  let runs = 0;
  const count = tool({ name: "count", run: () => ++runs });
  const gateway = server({ name: "s", tools: [count], audit, onFault: () => undefined });
  expect(await gateway.call("count")).toBe(1);
  store.isBroken = true;
  const refused = { code: "INTERNAL" };
  await expect(gateway.call("count")).rejects.toMatchObject(refused); // it ran: nobody could know before
  for (let at = 0; at < 5; at++) await expect(gateway.call("count")).rejects.toMatchObject(refused);
  expect(runs).toBe(2);
  store.isBroken = false;
  await audit.flush();
  expect(await gateway.call("count")).toBe(3);
});

test("a store that throws at once, and an onFault that throws, stop nothing", async () => {
  await using uncaught = collectFaults();
  await using file = await StoreFile.open();
  let isBroken = true;
  const log = file.store.audit;
  const append: typeof log.append = (lines) => {
    if (isBroken) throw new Error("not even a promise");
    return log.append(lines);
  };
  const store = { audit: { ...log, append } };
  const audit = openAudit({
    store,
    onFault: () => {
      throw new Error("nor a fault");
    },
  });
  void audit.record(entry("1"));
  await expect(audit.flush()).rejects.toThrow("not even a promise");
  isBroken = false;
  await audit.close();
  expect(await requestsIn(file.store)).toEqual(["1"]);
  expect(await uncaught.settled()).toEqual([]);
});

test("an entry that cannot be read is a line that says that one was lost", async () => {
  await using setting = await Setting.open();
  const { audit, store, faults } = setting;
  const unreadable = {
    ...entry("2"),
    get tool(): string {
      throw new Error("no tool");
    },
  };
  for (const each of [entry("1"), unreadable, undefined as unknown as AuditEntry, entry("4")]) void audit.record(each);
  await audit.flush();
  expect(await requestsIn(store)).toEqual(["1", 1, 1, "4"]);
  expect(faults).toHaveLength(2);
});

test("closing with a broken store ends, and tells how many lines are missing", async () => {
  await using setting = await Setting.open({ maxWaiting: 3 });
  const { audit, store, faults } = setting;
  store.isBroken = true;
  for (let id = 1; id <= 5; id++) void audit.record(entry(String(id)));
  await audit.close();
  expect(faults.at(-1)).toBe("The audit log was closed before its last 5 lines were written.");
  void audit.record(entry("late"));
  expect(faults.at(-1)).toBe("The audit log is closed.");
});

test("what is recorded after closing is reported", async () => {
  await using setting = await Setting.open();
  const { audit, store, faults } = setting;
  await audit.close();
  expect(audit.record(entry("late"))).toBeUndefined();
  expect(faults).toEqual(["The audit log is closed."]);
  expect(await requestsIn(store)).toEqual([]);
});

test("limits that make no sense are refused", () => {
  const store = { audit: { append: async () => {}, read: async () => [], last: async () => undefined } };
  for (const options of [{ maxBatch: 0 }, { maxBatch: Number.NaN }, { maxWaiting: 0 }, { maxDelayMs: -1 }]) {
    expect(() => openAudit({ store, ...options, onFault: () => {} })).toThrow("must be positive");
  }
});

test("a slow store gets one batch at a time", async () => {
  await using file = await StoreFile.open();
  let open = 0;
  let most = 0;
  const log = file.store.audit;
  const append: typeof log.append = async (lines) => {
    most = Math.max(most, ++open);
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
    await log.append(lines);
    open--;
  };
  const store = { audit: { ...log, append } };
  await using audit = openAudit({ store, maxBatch: 10, onFault: (fault) => expect.unreachable(String(fault)) });
  for (let turn = 0; turn < 50; turn++) {
    for (let at = 0; at < 7; at++) void audit.record(entry(`${turn}.${at}`));
    if (turn % 5 === 0) void audit.flush();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await audit.flush();
  expect(most).toBe(1);
  expect(await verifyAudit(file.store)).toMatchObject({ ok: true, lines: 350 });
});

interface SettingOptions {
  readonly strict?: boolean;
  readonly maxWaiting?: number;
}

/** A log over a store that can be broken, and what it reported. */
class Setting implements AsyncDisposable {
  readonly faults: string[] = [];
  readonly store: FragileStore;
  readonly audit: Audit;
  readonly #file: StoreFile;

  private constructor(file: StoreFile, options: SettingOptions) {
    this.#file = file;
    this.store = new FragileStore(file.store);
    const onFault = (fault: unknown) => this.faults.push(fault instanceof BiplaneError ? fault.message : String(fault));
    this.audit = openAudit({ store: this.store, ...options, onFault });
  }

  static async open(options: SettingOptions = {}): Promise<Setting> {
    return new Setting(await StoreFile.open(), options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.audit.close();
    await this.#file[Symbol.asyncDispose]();
  }
}
