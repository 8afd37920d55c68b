import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { verifyAudit } from "../../../packages/biplane/src/governance/audit/verify.ts";
import { limit } from "../../support/runs.ts";
import { StoreFile, requestsIn } from "./fixture.ts";
import { bundledScript } from "../../support/bundled-script.ts";

const isSoak = process.env["BIPLANE_SOAK"] === "1";
const kills = isSoak ? 100 : 2;

test("two processes that record at the same time make one chain", { timeout: limit(60_000) }, async () => {
  await using file = await StoreFile.open();
  const count = isSoak ? 50_000 : 2000;
  const children = ["a", "b"].map((name) => start(file, "all", name, String(count)));
  for (const child of children) expect(await child.closed).toBe(0);
  expect(await verifyAudit(file.store)).toMatchObject({ ok: true, lines: 2 * count });
  const kept = await requestsIn(file.store);
  for (const name of ["a", "b"]) {
    const own = kept.filter((id) => String(id).startsWith(name));
    expect(own).toEqual(Array.from({ length: count }, (_, at) => `${name}${at}`));
  }
});

test("a killed process leaves a chain that lacks its last 100 ms at most", { timeout: limit(60_000) }, async () => {
  const losses: Loss[] = [];
  for (let kill = 0; kill < kills; kill++) {
    await using file = await StoreFile.open();
    const child = start(file, "burst");
    await child.killAfter(100 + Math.floor(Math.random() * 200));
    const verdict = await verifyAudit(file.store);
    expect(verdict).toMatchObject({ ok: true });
    const kept = await requestsIn(file.store);
    expect(kept, "a prefix").toEqual(Array.from({ length: kept.length }, (_, at) => String(at)));
    losses.push(lossOf(child.said, kept.length));
  }
  if (isSoak) console.log("ms lost:", losses.map(({ ms, stillMs }) => `${ms} (${stillMs} still)`).join(", "));
  for (const { ms, stillMs } of losses) expect(ms - stillMs).toBeLessThanOrEqual(100);
});

test("what a strict log promised is there after a kill", { timeout: limit(60_000) }, async () => {
  for (let kill = 0; kill < kills; kill++) {
    await using file = await StoreFile.open();
    const child = start(file, "strict");
    await child.killAfter(50 + Math.floor(Math.random() * 500));
    expect(await verifyAudit(file.store)).toMatchObject({ ok: true });
    const kept = new Set(await requestsIn(file.store));
    expect(child.said.filter((id) => !kept.has(id))).toEqual([]);
    expect(child.said.length).toBeGreaterThan(50);
  }
});

/** How long before its end a process recorded the first call that was lost, and how much of that it stood still. */
interface Loss {
  readonly ms: number;
  readonly stillMs: number;
}

function lossOf(said: readonly string[], kept: number): Loss {
  const turns = said.map((line) => line.split(" ").map(Number) as [number, number]);
  const lost = turns.filter(([recorded]) => recorded > kept).map(([, at]) => at);
  const steps = lost.slice(1).map((at, index) => at - (lost[index] ?? at));
  const sum = (numbers: readonly number[]) => Math.round(numbers.reduce((total, ms) => total + ms, 0));
  return { ms: sum(steps), stillMs: sum(steps.filter((ms) => ms > 20)) };
}

function start(file: StoreFile, ...args: readonly string[]): Child {
  return new Child([file.path, ...args]);
}

class Child {
  readonly said: string[] = [];
  readonly closed: Promise<number | null>;
  readonly #process;

  constructor(args: readonly string[]) {
    const script = bundledScript(new URL("recording-child.ts", import.meta.url));
    this.#process = spawn(process.execPath, [script, ...args], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const lines = createInterface({ input: this.#process.stdout });
    lines.on("line", (line) => this.said.push(line));
    this.closed = Promise.all([once(this.#process, "exit"), once(lines, "close")]).then(
      ([[code]]) => code as number | null,
    );
  }

  /** Kills it as soon as it has said so many lines. */
  async killAfter(count: number): Promise<void> {
    const lines = this.#process.stdout;
    while (this.said.length < count) await once(lines, "data");
    this.#process.kill("SIGKILL");
    await this.closed;
  }
}
