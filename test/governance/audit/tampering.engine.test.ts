import { createHash } from "node:crypto";
import { DatabaseSync } from "@photostructure/sqlite";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openAudit } from "../../../packages/biplane/src/governance/audit/audit.ts";
import { queryAudit } from "../../../packages/biplane/src/governance/audit/query.ts";
import { verifyAudit } from "../../../packages/biplane/src/governance/audit/verify.ts";
import { runs } from "../../support/runs.ts";
import { StoreFile, entry } from "./fixture.ts";
import { anyCharacter } from "../../support/any-character.ts";

type Database = InstanceType<typeof DatabaseSync>;

/** Each is done to a log of ten lines; `at` is where it must be found. */
const tamperings: readonly { what: string; at: number; why: RegExp; tamper: (database: Database) => void }[] = [
  { what: "a changed line", at: 5, why: /changed/, tamper: (database) => change(database, 5, "ada", "eve") },
  { what: "a changed first line", at: 1, why: /changed/, tamper: (database) => change(database, 1, "ada", "eve") },
  { what: "a changed last line", at: 10, why: /changed/, tamper: (database) => change(database, 10, "ada", "eve") },
  {
    what: "a changed line with a new hash",
    at: 6,
    why: /follow/,
    tamper: (database) => put(database, 5, sealed(text(database, 5).replace("ada", "eve"))),
  },
  { what: "a changed hash", at: 5, why: /changed/, tamper: (database) => change(database, 5, /.(?="}$)/, "x") },
  { what: "an emptied line", at: 5, why: /changed/, tamper: (database) => put(database, 5, "") },
  { what: "a line that is no JSON", at: 5, why: /changed/, tamper: (database) => put(database, 5, "nothing to see") },
  {
    what: "something after a NUL",
    at: 5,
    why: /changed/,
    tamper: (database) => database.exec("update audit set line = line || char(0) || 'x' where sequence = 5"),
  },
  {
    what: "a space at the end",
    at: 5,
    why: /changed/,
    tamper: (database) => put(database, 5, `${text(database, 5)} `),
  },
  { what: "a removed line", at: 5, why: /line 6/, tamper: (database) => remove(database, 5) },
  { what: "a removed first line", at: 1, why: /line 2/, tamper: (database) => remove(database, 1) },
  {
    what: "a removed line with the rest moved up",
    at: 5,
    why: /follow/,
    tamper: (database) => {
      remove(database, 5);
      shift(database, 5, -1);
    },
  },
  {
    what: "a removed first line with the rest moved up",
    at: 1,
    why: /follow/,
    tamper: (database) => {
      remove(database, 1);
      shift(database, 1, -1);
    },
  },
  {
    what: "a repeated line",
    at: 6,
    why: /follow/,
    tamper: (database) => {
      shift(database, 6, 1);
      insert(database, 6, text(database, 5));
    },
  },
  {
    what: "a line added at the end",
    at: 11,
    why: /follow/,
    tamper: (database) => insert(database, 11, text(database, 5)),
  },
  {
    what: "a line added before the first",
    at: 1,
    why: /line 0/,
    tamper: (database) => insert(database, 0, text(database, 1)),
  },
  {
    what: "a made-up line that follows the one before",
    at: 6,
    why: /follow/,
    tamper: (database) => {
      shift(database, 5, 1);
      insert(database, 5, sealed(text(database, 6).replace("ada", "eve")));
    },
  },
  {
    what: "two lines in the other order",
    at: 5,
    why: /follow/,
    tamper: (database) => {
      const [fifth, sixth] = [text(database, 5), text(database, 6)];
      put(database, 5, sixth);
      put(database, 6, fifth);
    },
  },
];

describe("the walk finds", () => {
  test.each(tamperings)("$what", async ({ at, why, tamper }) => {
    await using file = await logOf(10);
    expect(await verifyAudit(file.store)).toMatchObject({ ok: true, lines: 10 });
    edit(file, tamper);
    const verdict = await verifyAudit(file.store);
    expect(verdict).toEqual({ ok: false, at, why: expect.stringMatching(why) as string });
    expect((await queryAudit(file.store)).length, "a query still answers").toBeGreaterThan(8);
    await record(file, 5);
    expect(await verifyAudit(file.store), "written on after it").toMatchObject({ ok: false, at });
  });

  test("any other character anywhere, at its line", async () => {
    await using file = await logOf(10);
    const lines = await file.store.audit.read();
    const change = fc.tuple(
      fc.integer({ min: 0, max: 9 }),
      fc.nat(),
      fc.string({ unit: anyCharacter, minLength: 1, maxLength: 2 }),
    );
    await fc.assert(
      fc.asyncProperty(change, async ([index, place, replacement]) => {
        const before = lines[index]?.line ?? "";
        const at = place % before.length;
        const after = `${before.slice(0, at)}${replacement}${before.slice(at + 1)}`;
        fc.pre(after !== before && !after.includes("\0"));
        edit(file, (database) => put(database, index + 1, after));
        expect(await verifyAudit(file.store)).toMatchObject({ ok: false, at: index + 1 });
        edit(file, (database) => put(database, index + 1, before));
      }),
      runs(100),
    );
    expect(await verifyAudit(file.store)).toMatchObject({ ok: true });
  });
});

test("a log that was cut is found with what was remembered of it", async () => {
  await using file = await logOf(10);
  const before = await verifyAudit(file.store);
  if (!before.ok) throw new Error(before.why);
  const remembered = { expectedLines: before.lines, expectedHead: before.head };
  expect(await verifyAudit(file.store, remembered)).toEqual(before);
  await record(file, 5);
  expect(await verifyAudit(file.store, remembered), "growing is no change").toMatchObject({ ok: true, lines: 15 });
  expect(await verifyAudit(file.store, { expectedHead: before.head })).toMatchObject({ ok: true });
  edit(file, (database) => database.exec("delete from audit where sequence > 7"));
  expect(await verifyAudit(file.store)).toMatchObject({ ok: true, lines: 7 });
  expect(await verifyAudit(file.store, remembered)).toMatchObject({ ok: false, at: 8 });
  expect(await verifyAudit(file.store, { expectedLines: 10 })).toMatchObject({ ok: false, at: 8 });
  expect(await verifyAudit(file.store, { expectedHead: before.head })).toMatchObject({ ok: false, at: 8 });
  await record(file, 5);
  expect(await verifyAudit(file.store, remembered), "written on after the cut").toMatchObject({ ok: false, at: 10 });
});

test("a log that was emptied is found with what was remembered of it", async () => {
  await using file = await logOf(3);
  edit(file, (database) => database.exec("delete from audit"));
  expect(await verifyAudit(file.store, { expectedLines: 3 })).toMatchObject({ ok: false, at: 1 });
  const empty = await verifyAudit(file.store);
  if (!empty.ok) throw new Error(empty.why);
  await record(file, 3);
  expect(await verifyAudit(file.store, { expectedLines: empty.lines, expectedHead: empty.head })).toMatchObject({
    ok: true,
  });
});

async function logOf(count: number): Promise<StoreFile> {
  const file = await StoreFile.open();
  await record(file, count);
  return file;
}

async function record(file: StoreFile, count: number): Promise<void> {
  await using audit = openAudit({ store: file.store, onFault: (fault) => expect.unreachable(String(fault)) });
  for (let at = 1; at <= count; at++) void audit.record(entry(`${at} é 😀`));
}

/** Does something to the file behind the store's back. */
function edit(file: StoreFile, tamper: (database: Database) => void): void {
  const database = new DatabaseSync(file.path);
  try {
    tamper(database);
  } finally {
    database.close();
  }
}

function text(database: Database, sequence: number): string {
  const row = database.prepare("select line from audit where sequence = ?").get(sequence) as { line: string };
  return row.line;
}

function put(database: Database, sequence: number, line: string): void {
  database.prepare("update audit set line = ? where sequence = ?").run(line, sequence);
}

function change(database: Database, sequence: number, from: string | RegExp, to: string): void {
  put(database, sequence, text(database, sequence).replace(from, to));
}

function insert(database: Database, sequence: number, line: string): void {
  database.prepare("insert into audit values (?, ?)").run(sequence, line);
}

function remove(database: Database, sequence: number): void {
  database.prepare("delete from audit where sequence = ?").run(sequence);
}

function shift(database: Database, from: number, by: number): void {
  database.prepare("update audit set sequence = -sequence - ? where sequence >= ?").run(by, from);
  database.exec("update audit set sequence = -sequence where sequence < 0");
}

/** The line with the hash that its text should have. */
function sealed(line: string): string {
  const open = line.replace(/,"hash":"[0-9a-f]{64}"}$/, "");
  return `${open},"hash":"${createHash("sha256").update(`${open}}`).digest("hex")}"}`;
}
