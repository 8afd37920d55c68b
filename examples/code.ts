import { server, tool } from "biplane";
import { codeTool, javascriptEngine } from "biplane/code";
import { z } from "zod";

// Twelve tools for a small file system. With single tool calls, the task below takes nine model turns.
const files = new Map([
  ["notes/monday.txt", "call Ada\nTODO: pay rent\n"],
  ["notes/tuesday.txt", "TODO: water plants\nTODO: call Bob\n"],
  ["notes/old/april.txt", "TODO: forget this\n"],
  ["readme.md", "# Home\n"],
]);
const path = z.string();
const content = (file: string) => files.get(file) ?? fail(`There is no ${file}`);
const fail = (why: string): never => {
  throw new Error(why);
};
const fileServer = server({
  name: "files",
  version: "1.0.0",
  tools: {
    list_files: tool({
      description: "Lists all files below a folder",
      input: z.object({ folder: z.string().default("") }),
      run: ({ folder }) => [...files.keys()].filter((file) => file.startsWith(folder)),
    }),
    read_file: tool({
      description: "Reads a file",
      input: z.object({ path }),
      run: ({ path: file }) => content(file),
    }),
    write_file: tool({
      description: "Writes a file",
      input: z.object({ path, text: z.string() }),
      run: ({ path: file, text }) => void files.set(file, text),
    }),
    append_file: tool({
      description: "Appends to a file",
      input: z.object({ path, text: z.string() }),
      run: ({ path: file, text }) => void files.set(file, (files.get(file) ?? "") + text),
    }),
    delete_file: tool({
      description: "Deletes a file",
      input: z.object({ path }),
      run: ({ path: file }) => files.delete(file),
    }),
    move_file: tool({
      description: "Renames a file",
      input: z.object({ from: path, to: path }),
      run: ({ from, to }) => void (files.set(to, content(from)) && files.delete(from)),
    }),
    copy_file: tool({
      description: "Copies a file",
      input: z.object({ from: path, to: path }),
      run: ({ from, to }) => void files.set(to, content(from)),
    }),
    file_exists: tool({
      description: "Checks whether a file exists",
      input: z.object({ path }),
      run: ({ path: file }) => files.has(file),
    }),
    file_size: tool({
      description: "Returns the size of a file in characters",
      input: z.object({ path }),
      run: ({ path: file }) => content(file).length,
    }),
    count_lines: tool({
      description: "Counts the lines of a file",
      input: z.object({ path }),
      run: ({ path: file }) => content(file).split("\n").length - 1,
    }),
    search_files: tool({
      description: "Finds files that contain a text",
      input: z.object({ text: z.string() }),
      run: ({ text }) => [...files].filter(([, each]) => each.includes(text)).map(([file]) => file),
    }),
    replace_in_file: tool({
      description: "Replaces a text everywhere in a file",
      input: z.object({ path, from: z.string(), to: z.string() }),
      run: ({ path: file, from, to }) => void files.set(file, content(file).replaceAll(from, to)),
    }),
  },
});

const engine = javascriptEngine();
codeTool(fileServer, { engines: [engine] });

const code = `
const todos = [];
for (const path of await search_files("TODO")) {
  if (path.includes("/old/")) { await delete_file(path); continue; }
  for (const line of (await read_file(path)).split("\\n")) {
    if (line.startsWith("TODO: ")) todos.push(line.slice(6));
  }
  await replace_in_file(path, { from: "TODO", to: "DONE" });
}
await write_file("todo.md", todos.map((todo) => "- " + todo).join("\\n") + "\\n");
console.log(todos.length, "things to do,", await count_lines("todo.md"), "lines written");
try { await read_file("notes/old/april.txt") } catch (error) { console.log(error.code, error.message) }
todos`;
const { result, stdout, calls } = (await fileServer.call("run_code", { code })) as {
  result: string[];
  stdout: string;
  calls: { tool: string }[];
};
process.stdout.write(stdout);
console.log(result.join(" | "));
console.log(calls.length, "calls in one action");
console.log(JSON.stringify(files.get("todo.md")), files.get("notes/monday.txt")?.includes("DONE"));
await engine.close();

// prints:
// 3 things to do, 3 lines written
// EXECUTION_ERROR There is no notes/old/april.txt
// pay rent | water plants | call Bob
// 9 calls in one action
// "- pay rent\n- water plants\n- call Bob\n" true
