import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { environment, server, tool } from "biplane";
import { openStore } from "biplane/store";
import type { SqlStore } from "biplane/store";
import { CallHistory } from "../../packages/biplane/src/admin/calls/call-history.ts";
import { CallLog } from "../../packages/biplane/src/admin/calls/call-log.ts";
import { openAudit } from "../../packages/biplane/src/governance/audit/audit.ts";
import { verifyAudit } from "../../packages/biplane/src/governance/audit/verify.ts";
import { randomAgent } from "../../packages/biplane/src/rollout/agent/random.ts";
import { seedRows } from "../../packages/biplane/src/rollout/row.ts";
import { readTraces } from "../../packages/biplane/src/store/runs/rollouts.ts";
import { countRows } from "../../packages/biplane/src/store/copy-store.ts";
import { playAll } from "../rollout/playing.ts";
import { needs } from "../support/needs.ts";
import { needsPostgres, startPostgres } from "../support/postgres.ts";
import { startTcpProxy } from "../support/tcp-proxy.ts";

const isSoak = process.env["BIPLANE_SOAK"] === "1";
const outageMs = isSoak ? 30_000 : 0;
const agent = { kind: "token", id: "agent", scopes: [] } as const;

/** A server that writes to a store from all sides, and what was acknowledged. */
function writerOn(store: SqlStore) {
  const faults: string[] = [];
  const audit = openAudit({ store, onFault: (fault) => void faults.push((fault as Error).message) });
  const log = new CallLog();
  const history = new CallHistory({ store, log, onFault: (fault) => void faults.push((fault as Error).message) });
  const echo = tool({ name: "echo", run: () => "said" });
  const subject = server({ name: "subject", tools: [echo], limits: false });
  subject.govern({ audit, limits: false, meters: [log.meterOf("subject")] });
  const acknowledged: string[] = [];
  let calls = 0;
  return {
    faults,
    acknowledged,
    calls: () => calls,
    /** Calls a tool and puts a record. Returns why the record could not be put. */
    async write(size = 10): Promise<string | undefined> {
      await subject.call("echo", {}, { principal: agent });
      const key = String(calls++);
      try {
        await store.put("notes", key, { text: "x".repeat(size) });
        acknowledged.push(key);
        return undefined;
      } catch (error) {
        return (error as Error).message;
      }
    },
    /** Everything that was acknowledged is there, and every call has its line and its row. */
    async check(): Promise<void> {
      await expect
        .poll(
          () =>
            audit.flush().then(
              () => true,
              () => false,
            ),
          { timeout: 30_000 },
        )
        .toBe(true);
      await expect
        .poll(async () => (await history.flush(), countRows(store)), { timeout: 30_000 })
        .toMatchObject({ calls });
      expect(await verifyAudit(store)).toMatchObject({ ok: true, lines: calls });
      for (const key of acknowledged) expect(await store.get("notes", key)).toBeDefined();
    },
    async close(): Promise<void> {
      await history.close();
      await audit.close();
    },
  };
}

test("a store whose file cannot grow says so, and goes on once it can", async () => {
  await using folder = temporaryFolder();
  await using store = await openStore(join(folder.path, "store.db"));
  const writer = writerOn(store);
  for (let n = 0; n < 20; n++) expect(await writer.write()).toBeUndefined();
  const pages = await sql<{ page_count: number }>`pragma page_count`.execute(store.db);
  await sql.raw(`pragma max_page_count = ${(pages.rows[0]?.page_count ?? 0) + 20}`).execute(store.db);
  let why: string | undefined;
  while (why === undefined) why = await writer.write(5000);
  expect(why).toMatch(/^The store .*store\.db cannot be used: .*full\. Free some space on the disk\.$/);
  // The first lines of the log may still fit.
  await expect
    .poll(async () => (await writer.write(5000), writer.faults.join("\n")))
    .toMatch(/The audit log cannot be written: .*full/);
  await sql.raw("pragma max_page_count = 1000000").execute(store.db);
  expect(await writer.write()).toBeUndefined();
  await writer.check();
  await writer.close();
});

describe("on a disk of its own", needs("root"), () => {
  test("a store on a full disk says so, and goes on once there is space", async ({ skip }) => {
    await using disk = mountDisk(["-t", "tmpfs", "-o", "size=4m", "tmpfs"]);
    if (!disk) return skip("mounting is not allowed");
    await using store = await openStore(join(disk.path, "store.db"));
    const writer = writerOn(store);
    for (let n = 0; n < 20; n++) expect(await writer.write()).toBeUndefined();
    const filler = join(disk.path, "filler");
    expect(() => writeFileSync(filler, Buffer.alloc(8_000_000))).toThrow(/ENOSPC/);
    let why: string | undefined;
    while (why === undefined) why = await writer.write(5000);
    expect(why).toMatch(/cannot be used: .*(full|I\/O).*(Free some space on|Check) the disk\.$/);
    rmSync(filler);
    expect(await writer.write()).toBeUndefined();
    await writer.check();
    await writer.close();
  });

  test("a store on a read-only disk says so, and opens once it may be written", async ({ skip }) => {
    await using folder = temporaryFolder();
    const file = join(folder.path, "store.db");
    await using store = await openStore(file);
    await store.put("notes", "1", { text: "kept" });
    await using view = mountDisk(["--bind", folder.path]);
    if (!view) return skip("mounting is not allowed");
    execFileSync("mount", ["-o", "remount,ro,bind", view.path]);
    const seen = join(view.path, "store.db");
    const writing = async () => {
      await using other = await openStore(seen);
      await other.put("notes", "2", { text: "new" });
    };
    await expect(writing()).rejects.toThrow(
      /^The store .*store\.db cannot be used: .*\. (Give this user the right|Check)/,
    );
    execFileSync("mount", ["-o", "remount,rw,bind", view.path]);
    await writing();
    expect(await store.list("notes")).toHaveLength(2);
  });
});

test("a store that became read-only says so, and goes on once it may be written", async () => {
  await using folder = temporaryFolder();
  await using store = await openStore(join(folder.path, "store.db"));
  const writer = writerOn(store);
  expect(await writer.write()).toBeUndefined();
  await sql.raw("pragma query_only = on").execute(store.db);
  expect(await writer.write()).toMatch(
    /cannot be used: attempt to write a readonly database\. Give this user the right/,
  );
  await sql.raw("pragma query_only = off").execute(store.db);
  expect(await writer.write()).toBeUndefined();
  await writer.check();
  await writer.close();
});

describe("on Postgres", needsPostgres, () => {
  test(`a database that is away${isSoak ? " for 30 seconds" : ""} costs nothing but time, also for a run that is being played`, async () => {
    await using postgres = await startPostgres();
    await using proxy = await startTcpProxy(postgres.port);
    const url = new URL(await postgres.database());
    url.port = String(proxy.port);
    await using store = await openStore(url.href);
    const writer = writerOn(store);
    for (let n = 0; n < 20; n++) expect(await writer.write()).toBeUndefined();
    await using game = countdown();
    const seeds = Array.from({ length: 40 }, (_, at) => at);
    let played = 0;
    const playing = playAll(game, seedRows(seeds), { agent: randomAgent(), store, run: "a", concurrency: 4 }).then(
      (rows) => (played = rows.length),
    );
    await expect.poll(async () => (await countRows(store)).rollouts).toBeGreaterThan(0);

    proxy.cut();
    const cutAt = performance.now();
    let failed = 0;
    while (failed < 20 || performance.now() - cutAt < outageMs) {
      expect(await writer.write()).toMatch(/^The store postgres:\/\/127\.0\.0\.1:\d+\/\w+ cannot be reached: /);
      failed++;
      if (isSoak) await pause(20);
    }
    await expect.poll(() => writer.faults.join("\n")).toMatch(/The audit log cannot be written: .*cannot be reached/);
    proxy.restore();

    expect(await writer.write()).toBeUndefined();
    await playing;
    expect(played).toBe(40);
    expect(await readTraces(store, "a")).toHaveLength(40);
    await writer.check();
    if (isSoak)
      console.log(
        `${failed} writes were refused in ${Math.round(performance.now() - cutAt)} ms, ${writer.calls()} calls, none lost`,
      );
    await writer.close();
  }, 240_000);

  test("a database that crashes and starts again has everything that was acknowledged", async () => {
    await using postgres = await startPostgres();
    await using store = await openStore(await postgres.database());
    const writer = writerOn(store);
    for (let round = 0; round < (isSoak ? 10 : 2); round++) {
      for (let n = 0; n < 20; n++) expect(await writer.write()).toBeUndefined();
      const writes = Promise.all(Array.from({ length: 20 }, () => writer.write()));
      await postgres.crash();
      await writes;
      expect(await writer.write()).toMatch(/cannot be reached/);
      await postgres.start();
      await expect.poll(() => writer.write(), { timeout: 30_000 }).toBeUndefined();
      await writer.check();
    }
    await writer.close();
  }, 240_000);
});

/** An episode of four steps. */
function countdown() {
  return environment({
    name: "countdown",
    version: "1",
    start: () => ({ left: 4 }),
    observe: ({ left }) => ({ left }),
    tools: (define) => ({ go: define({ run: (_, call) => void call.state.left-- }) }),
    reward: ({ after }) => (after.left === 0 ? 1 : 0),
    status: ({ left }) => ({ terminated: left === 0 }),
  });
}

function temporaryFolder(): Disk {
  const path = mkdtempSync(join(tmpdir(), "biplane-outage-"));
  return { path, [Symbol.asyncDispose]: async () => rmSync(path, { recursive: true }) };
}

/** A folder where something is mounted. Undefined where that is not allowed. */
function mountDisk(what: readonly string[]): Disk | undefined {
  const folder = mkdtempSync(join(tmpdir(), "biplane-disk-"));
  const path = join(folder, "disk");
  mkdirSync(path);
  try {
    execFileSync("mount", [...what, path], { stdio: "pipe" });
  } catch {
    rmSync(folder, { recursive: true });
    return undefined;
  }
  return {
    path,
    async [Symbol.asyncDispose]() {
      execFileSync("umount", ["-l", path]);
      rmSync(folder, { recursive: true });
    },
  };
}

interface Disk extends AsyncDisposable {
  readonly path: string;
}
