import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const document = readFileSync(join(root, "docs/designs.md"), "utf8");

interface Statement {
  readonly id: string;
  readonly status: string;
  readonly file: string;
  readonly title: string;
}

const statements = Array.from(
  document.matchAll(/^\| ([a-z]+-\d+) +\|.*\| (works|differs) +\| `([^`]+)`: (.+?) +\|$/gm),
  ([, id = "", status = "", file = "", title = ""]): Statement => ({ id, status, file, title }),
);

/** The strings that open an argument list, as in `test("…", …)`, and the keys of tables of tests. */
function titlesOf(path: string): Set<string> {
  const titles = readFileSync(path, "utf8").matchAll(/(?:\(\s*|^ *)"((?:[^"\\]|\\.)*)"[,:]/gm);
  return new Set(Array.from(titles, ([, title = ""]) => title));
}

describe("docs/designs.md", () => {
  test("has a row for each statement, with an id of its own", () => {
    const rows = Array.from(document.matchAll(/^\| ([a-z]+-\d+) /gm), ([, id = ""]) => id);
    expect(statements.map(({ id }) => id)).toEqual(rows);
    expect(new Set(rows).size).toBe(rows.length);
  });

  test("names tests that exist", () => {
    const missing = statements.filter(({ file, title }) => {
      const path = join(root, "test", file);
      return !existsSync(path) || !titlesOf(path).has(title);
    });
    expect(missing).toEqual([]);
  });

  test("gives a reason for each statement that differs, and for no other", () => {
    const reasons = Array.from(document.matchAll(/^- \*\*([a-z]+-\d+)\*\*: /gm), ([, id = ""]) => id);
    expect(reasons).toEqual(statements.filter(({ status }) => status === "differs").map(({ id }) => id));
  });

  test("counts the statements of each design", () => {
    const counts = Array.from(document.matchAll(/\]\(#.*\) +\|.*\| (\d+) +\| (\d+) +\| (\d+) +\|$/gm), (row) =>
      row.slice(1).map(Number),
    );
    const sum = (at: number) => counts.reduce((total, row) => total + (row[at] ?? 0), 0);
    const withStatus = (wanted: string) => statements.filter(({ status }) => status === wanted).length;
    expect([sum(0), sum(1), sum(2)]).toEqual([statements.length, withStatus("works"), withStatus("differs")]);
  });
});
