// What a person reads: the checks of a suite when it has ended, and a table of all at the end.
const marks = { ok: "ok", fail: "FAIL", skip: "-" };

export function printChecks(title, checks) {
  const lines = checks.map(({ check, result, note }) => `  ${marks[result]} ${check}${note ? ` (${note})` : ""}`);
  console.log(["", title, ...lines].join("\n"));
}

/** Prints a table per script: a row per check, a column per version. */
export function printTables(results) {
  for (const script of new Set(results.map((each) => each.script))) {
    const columns = results.filter((each) => each.script === script);
    const titles = [...new Set(columns.flatMap(({ checks }) => checks.map(({ check }) => check)))];
    const width = Math.max(...titles.map((title) => title.length));
    console.log(`\n${"".padEnd(width)}  ${columns.map(({ name }) => name).join("  ")}`);
    for (const title of titles) {
      const cells = columns.map(({ name, checks }) => {
        const found = checks.find(({ check }) => check === title);
        return (found ? marks[found.result] : "").padEnd(name.length);
      });
      console.log(`${title.padEnd(width)}  ${cells.join("  ").trimEnd()}`);
    }
  }
  for (const { name, checks } of results) {
    for (const { check, result, note } of checks)
      if (result === "fail") console.log(`\nFAIL ${name}: ${check}\n  ${note}`);
  }
}
