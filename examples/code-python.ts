import { tool } from "biplane";
import { pythonEngine } from "biplane/code";
import { z } from "zod";

const files = new Map([
  ["/inbox/alice.csv", "item,amount\ntea,3\nmilk,2\n"],
  ["/inbox/bob.csv", "item,amount\ntea,4\nbread,1\n"],
  ["/inbox/notes.txt", "count the tea\n"],
]);
const path = z.object({ path: z.string() });
const fromTo = z.object({ from: z.string(), to: z.string() });
const read = (name: string) => {
  const text = files.get(name);
  if (text === undefined) throw new Error(`There is no file ${name}`);
  return text;
};

const tools = [
  tool({
    name: "list_files",
    description: "Lists the files in a folder",
    input: path,
    run: ({ path }) => [...files.keys()].filter((name) => name.startsWith(path)),
  }),
  tool({
    name: "read_text_file",
    description: "Reads a file as text",
    input: path.extend({ head: z.int().optional() }),
    run: ({ path, head }) => read(path).split("\n").slice(0, head).join("\n"),
  }),
  tool({
    name: "write_file",
    description: "Write a file",
    input: path.extend({ text: z.string() }),
    run: ({ path, text }) => void files.set(path, text),
  }),
  tool({
    name: "append_file",
    description: "Append to a file",
    input: path.extend({ text: z.string() }),
    run: ({ path, text }) => void files.set(path, read(path) + text),
  }),
  tool({ name: "delete_file", description: "Delete a file", input: path, run: ({ path }) => files.delete(path) }),
  tool({
    name: "move_file",
    description: "Move a file",
    input: fromTo,
    run: ({ from, to }) => void files.set(to, read(from)).delete(from),
  }),
  tool({
    name: "copy_file",
    description: "Copy a file",
    input: fromTo,
    run: ({ from, to }) => void files.set(to, read(from)),
  }),
  tool({
    name: "file_exists",
    description: "Check whether a file exists",
    input: path,
    run: ({ path }) => files.has(path),
  }),
  tool({
    name: "file_size",
    description: "Size of a file in characters",
    input: path,
    run: ({ path }) => read(path).length,
  }),
  tool({
    name: "count_lines",
    description: "Count the lines of a file",
    input: path,
    run: ({ path }) => read(path).split("\n").length - 1,
  }),
  tool({
    name: "search_files",
    description: "Find files that contain a word",
    input: z.object({ word: z.string() }),
    run: ({ word }) => [...files].flatMap(([name, text]) => (text.includes(word) ? [name] : [])),
  }),
  tool({
    name: "replace_text",
    description: "Replace a word in a file",
    input: path.extend({ word: z.string(), by: z.string() }),
    run: ({ path, word, by }) => void files.set(path, read(path).replaceAll(word, by)),
  }),
];

const engine = pythonEngine();
const context = await engine.open({ tools });
for (const each of tools.slice(0, 2)) console.log(engine.signature(each));

// One action replaces a dozen model turns.
let calls = 0;
const result = await context.run(
  `
import csv, io
from collections import Counter

totals = Counter()
for name in list_files("/inbox"):
    if not name.endswith(".csv"):
        continue
    for row in csv.DictReader(io.StringIO(read_text_file(name))):
        totals[row["item"]] += int(row["amount"])
    move_file(name, name.replace("/inbox", "/done"))

try:
    read_text_file("/inbox/alice.csv")
except ToolError as error:
    print("moved:", error.message)

write_file("/report.txt", "\\n".join(f"{item} {count}" for item, count in totals.most_common()))
return totals
`,
  {
    call: (name, input) => {
      calls++;
      return tools.find((each) => each.name === name)?.run(input, undefined as never);
    },
    signal: AbortSignal.timeout(30_000),
  },
);
console.log(result.value, `${calls} calls`);
console.log(result.stdout.trim());
console.log(files.get("/report.txt"));

const next = await context.run("sum(totals.values())", { call: () => undefined, signal: AbortSignal.timeout(30_000) });
console.log(next.value);
await context.close();
await engine.close();

// prints:
// def list_files(path: str) -> Any: ...  # Lists the files in a folder
// def read_text_file(path: str, head: int = ...) -> Any: ...  # Reads a file as text
// { tea: 7, milk: 2, bread: 1 } 7 calls
// moved: There is no file /inbox/alice.csv
// tea 7
// milk 2
// bread 1
// 10
