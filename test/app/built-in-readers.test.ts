import fc from "fast-check";
import { expect, test } from "vitest";
import { readApprovals } from "../../packages/core/src/app/browser/views/approvals/read-approvals.ts";
import { readGame } from "../../packages/core/src/app/browser/views/connect-four/game.ts";
import { describeLake, moveTo, readLake, tileAt } from "../../packages/core/src/app/browser/views/frozen-lake/lake.ts";
import { readFlight } from "../../packages/core/src/app/browser/views/lunar-lander/flight.ts";
import { arrange } from "../../packages/core/src/app/browser/views/table/arrange.ts";
import { toCsv } from "../../packages/core/src/app/browser/views/table/csv.ts";
import { readTable } from "../../packages/core/src/app/browser/views/table/read-table.ts";

const scalar = fc.oneof(
  fc.string(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
);

test("a page reads or rejects any answer of a server, and never throws", () => {
  const nearly = fc.record(
    {
      rows: fc.oneof(fc.jsonValue(), fc.array(fc.jsonValue())),
      columns: fc.jsonValue(),
      result: fc.jsonValue(),
      approvals: fc.array(fc.jsonValue()),
      board: fc.jsonValue(),
      legal_actions: fc.array(fc.jsonValue()),
      position: fc.oneof(fc.integer(), fc.double()),
      grid: fc.oneof(fc.string(), fc.constant("\nSF\nHG\n")),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), nearly), (value) => {
      const table = readTable(value);
      for (const row of table?.rows ?? []) expect(row).toHaveLength(table?.columns.length ?? 0);
      for (const read of [readLake, readGame, readFlight, readApprovals]) read(value);
    }),
  );
});

test.each([
  [
    { columns: ["a", "b"], rows: [[1, "x"], [2]] },
    ["number", "text"],
    [
      [1, "x"],
      [2, null],
    ],
  ],
  [{ columns: [{ name: "a", title: "A" }], rows: [{ a: "12.50", more: 1 }] }, ["number"], [["12.50"]]],
  [
    { rows: [{ a: true }, { b: "2026-01-02" }] },
    ["boolean", "date"],
    [
      [true, null],
      [null, "2026-01-02"],
    ],
  ],
  [[{ zip: "01067" }, { zip: "10115" }], ["text"], [["01067"], ["10115"]]],
  [{ result: [{ deep: { x: 1 } }] }, ["text"], [['{"x":1}']]],
  [{ columns: ["__proto__"], rows: [{ a: 1 }] }, ["text"], [[null]]],
  [{ columns: [{ key: { toString: 1, valueOf: 1 } }], rows: [[1]] }, ["number"], [[1]]],
])("%j is a table", (value, types, rows) => {
  const table = readTable(value);
  expect(table?.columns.map(({ type }) => type)).toEqual(types);
  expect(table?.rows).toEqual(rows);
});

test("sorting keeps every row, and what is empty comes last both ways", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(scalar), { minLength: 1 }), fc.boolean(), (rows, down) => {
      const table = readTable({ columns: ["a"], rows });
      if (!table) throw new Error("it is a table");
      const shown = arrange(table, { filter: "", sort: { column: 0, down } });
      expect([...shown].sort((a, b) => a - b)).toEqual([...rows.keys()]);
      const empties = shown.map((at) => table.rows[at]?.[0] === null);
      expect(empties).toEqual([...empties].sort((a, b) => Number(a) - Number(b)));
    }),
  );
});

test("what is copied can be read back, and no text becomes a formula", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(scalar, scalar), { minLength: 1 }), (rows) => {
      const table = readTable({ columns: ["a", "b"], rows });
      if (!table) throw new Error("it is a table");
      const [head, ...lines] = parseCsv(toCsv(table, [...rows.keys()]));
      expect(head).toEqual(["a", "b"]);
      for (const [at, line] of lines.entries())
        for (const [column, field] of line.entries()) {
          const cell = table.rows[at]?.[column] ?? "";
          expect(field.replaceAll("'", "")).toBe(String(cell).replaceAll("'", ""));
          if (typeof cell === "string" && !/^-?\d+(\.\d+)?$/.test(cell)) expect(field).not.toMatch(/^[=+\-@\t\r]/);
        }
      expect(lines).toHaveLength(rows.length);
    }),
  );
});

test("a slip is detected from the player's position", () => {
  const lake = (position: number, action?: string) => readLake({ position, action, grid: "\nSFF\nFHF\nFFG\n" });
  const [before, after] = [lake(0), lake(3, "RIGHT")];
  if (!before || !after) throw new Error("these are lakes");
  expect(describeLake(after, before)).toBe("Row 2, column 1. You slipped down.");
  expect(lake(9)).toBeUndefined();
  expect(readLake({ position: 0, grid: "SF\nF" })).toBeUndefined();
});

test("a lake need not be square", () => {
  const lake = readLake({ position: 4, grid: "\nSFFH\nFFFG\n" });
  if (!lake) throw new Error("this is a lake");
  expect([tileAt(lake, 7), moveTo(lake, 0), moveTo(lake, 5), moveTo(lake, 6)]).toEqual(["G", "UP", "RIGHT", undefined]);
  expect(describeLake(lake, undefined)).toBe("Row 2, column 1.");
});

/** RFC 4180, and no more. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [[]];
  const fields = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/gy;
  for (;;) {
    const [, quoted, plain = "", end] = fields.exec(text) ?? [];
    rows.at(-1)?.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === "\r\n") rows.push([]);
    if (end === "" || end === undefined) return rows;
  }
}
