import fc from "fast-check";
import { expect, test } from "vitest";
import { toCsv } from "../../packages/core/src/app/browser/views/table/csv.ts";
import { readTable } from "../../packages/core/src/app/browser/views/table/read-table.ts";

test("text copied from a table contains no spreadsheet formula, not even inside a cell", () => {
  const text = fc.string({
    unit: fc.constantFrom("=", "+", "-", "@", "\t", "\r", "\n", '"', "'", "a", "1"),
    minLength: 1,
  });
  fc.assert(
    fc.property(fc.array(fc.tuple(text, text), { minLength: 1 }), (rows) => {
      const table = readTable({ columns: ["a", "b"], rows }) ?? expect.fail("it is a table");
      // Spreadsheets cut what is pasted at tabs and line ends, and pay little heed to quotes.
      const pasted = toCsv(table, [...rows.keys()]).split(/[\t\r\n]/);
      for (const cell of pasted) if (!/^-\d+,/.test(cell)) expect(cell).not.toMatch(/^[=+\-@]/);
    }),
  );
});
