import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { sqliteStore } from "biplane/sqlite";

test("numbers the lines of each log from 1 and reads them in order", async () => {
  await using store = sqliteStore(":memory:");
  await store.append("a", ["one", "two"]);
  await store.append("b", ["other"]);
  await store.append("a", []);
  await store.append("a", ["three"]);
  expect(await store.read("a")).toEqual([
    { sequence: 1, line: "one" },
    { sequence: 2, line: "two" },
    { sequence: 3, line: "three" },
  ]);
  expect(await store.read("a", { after: 1, limit: 1 })).toEqual([{ sequence: 2, line: "two" }]);
  expect(await store.read("nothing")).toEqual([]);
  expect(await store.last("a")).toEqual({ sequence: 3, line: "three" });
  expect(await store.last("b")).toEqual({ sequence: 1, line: "other" });
  expect(await store.last("nothing")).toBeUndefined();
});

test("lines may be made from the last one that is there", async () => {
  await using store = sqliteStore(":memory:");
  const next = (count: number) => store.append("log", (last) => [`${last?.line ?? "start"}+${count}`]);
  await Promise.all([next(1), next(2), next(3)]);
  expect((await store.last("log"))?.line).toBe("start+1+2+3");
});

test("appends all lines or none", async () => {
  await using store = sqliteStore(":memory:");
  await store.append("log", ["kept"]);
  const unkeepable = ["a\0b", "half a character: \ud83d"];
  for (const line of unkeepable) {
    await expect(store.append("log", ["fine", line])).rejects.toMatchObject({ code: "INVALID_INPUT" });
  }
  const broken = () => {
    throw new Error("no lines");
  };
  await expect(store.append("log", broken)).rejects.toThrow("no lines");
  await store.append("log", ["next: é 😀 \u2028"]);
  expect((await store.read("log")).map(({ line }) => line)).toEqual(["kept", "next: é 😀 \u2028"]);
});

test("several processes append to one log without gaps", async () => {
  const folder = await mkdtemp(join(tmpdir(), "biplane-log-"));
  const file = join(folder, "store.db");
  const script = (name: string) => `
    const store = sqliteStore(${JSON.stringify(file)});
    for (let turn = 0; turn < 100; turn++) await store.append("log", ["${name}", "${name}"]);
    await store.close();
  `;
  await Promise.all(["a", "b", "c"].map((name) => run(script(name))));
  const store = sqliteStore(file);
  const lines = await store.read("log");
  expect(lines.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 600 }, (_, at) => at + 1));
  // What was appended together stands together.
  for (let at = 0; at < lines.length; at += 2) expect(lines[at]?.line).toBe(lines[at + 1]?.line);
  await store.close();
  await rm(folder, { recursive: true });
});

test("several processes may make the same file at the same moment", async () => {
  const folder = await mkdtemp(join(tmpdir(), "biplane-log-"));
  const script = `
    for (let turn = 0; turn < 30; turn++) {
      const start = Math.ceil((Date.now() + 10) / 50) * 50;
      while (Date.now() < start);
      await sqliteStore(${JSON.stringify(folder)} + "/" + start + ".db").close();
    }
  `;
  await expect(Promise.all([run(script), run(script), run(script)])).resolves.toBeDefined();
  await rm(folder, { recursive: true });
});

/** Runs a script in a process of its own; rejects if it fails. */
async function run(script: string): Promise<void> {
  const source = fileURLToPath(new URL("../../src/store/sqlite.ts", import.meta.url));
  const whole = `import { sqliteStore } from ${JSON.stringify(source)};${script}`;
  await promisify(execFile)(process.execPath, ["--import", "tsx", "--input-type=module", "-e", whole]);
}
