import { mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openStore } from "biplane/store";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "biplane-store-"));
  file = join(folder, "store.db");
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A closed store with some records. */
async function fill(): Promise<void> {
  await using store = await openStore(file);
  for (let at = 0; at < 500; at++) await store.put("things", `thing ${at}`, { text: "x".repeat(200) });
}

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

test("a store and its other files are readable by their owner only, also one that was not before", async () => {
  await using store = await openStore(file);
  await store.put("a", "b", {});
  expect([file, `${file}-wal`].map(modeOf)).toEqual(["600", "600"]);
  await store.close();
  writeFileSync(join(folder, "old.db"), readFileSync(file), { mode: 0o644 });
  await (await openStore(join(folder, "old.db"))).close();
  expect(modeOf(join(folder, "old.db"))).toBe("600");
});

test("a store that was emptied is refused, and one that is being created is not", async () => {
  writeFileSync(file, "");
  utimesSync(file, new Date(0), new Date(0));
  await expect(openStore(file)).rejects.toThrow(`The store ${file} is empty. Restore it from a backup`);
  utimesSync(file, new Date(), new Date());
  await (await openStore(file)).close();
});

test("a store with a damaged page, or that is no store, is refused", async () => {
  await fill();
  const bytes = readFileSync(file);
  bytes.fill(77, 4096 * 3, 4096 * 4);
  writeFileSync(file, bytes);
  await expect(openStore(file)).rejects.toThrow(`The store ${file} is damaged: `);
  const other = join(folder, "other.db");
  writeFileSync(other, "not a database ".repeat(1000));
  await expect(openStore(other)).rejects.toThrow(`The store ${other} is damaged: file is not a database`);
});
