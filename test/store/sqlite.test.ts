import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { sqliteStore } from "biplane/sqlite";

test("keeps records by collection and key, and lists them in order", async () => {
  await using store = sqliteStore(":memory:");
  await store.put("a", "2", { n: 2 });
  await store.put("a", "1", { n: 1 });
  await store.put("b", "1", { other: true });
  await store.put("a", "2", { n: 22 });
  expect(await store.get("a", "2")).toEqual({ n: 22 });
  expect(await store.get("a", "3")).toBeUndefined();
  expect(await store.list("a")).toEqual([
    ["1", { n: 1 }],
    ["2", { n: 22 }],
  ]);
  expect(await store.list("a", { after: "1", limit: 1 })).toEqual([["2", { n: 22 }]]);
  expect(await store.delete("a", "1")).toBe(true);
  expect(await store.delete("a", "1")).toBe(false);
});

test("what was put is there for the next process, even after a kill", async () => {
  const folder = await mkdtemp(join(tmpdir(), "biplane-store-"));
  const file = join(folder, "deep", "store.db");
  const source = fileURLToPath(new URL("../../src/store/sqlite.ts", import.meta.url));
  const script = `
    import { sqliteStore } from ${JSON.stringify(source)};
    const store = sqliteStore(${JSON.stringify(file)});
    await store.put("kept", "key", { value: "here" });
    process.kill(process.pid, "SIGKILL");
  `;
  expect(() => execFileSync(process.execPath, ["--import", "tsx", "--input-type=module", "-e", script])).toThrow(
    /SIGKILL|Command failed/,
  );
  const store = sqliteStore(file);
  expect(await store.get("kept", "key")).toEqual({ value: "here" });
  await store.close();
  await rm(folder, { recursive: true });
});
