import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { commandLine, runHere } from "./command.ts";
import { inTerminal, keys } from "./terminal.ts";
import type { Step } from "./terminal.ts";
import { needs } from "../support/needs.ts";

const hostile = fileURLToPath(new URL("hostile-server.ts", import.meta.url));
const inspect = (steps: readonly Step[], options = {}) => inTerminal(commandLine("inspect", hostile), steps, options);

describe("inspect, in a terminal", needs("python3"), () => {
  test("lists what there is, and calls a tool with arguments that are asked for or written", async () => {
    const { code, frames } = await inspect([
      { see: "> ", type: `typed${keys.enter}` },
      { see: "count (a whole number): ", type: `many${keys.enter}` },
      { see: 'count must be a whole number, not "many"', type: `12${keys.enter}` },
      { see: "size (one of small, large): ", type: `small${keys.enter}` },
      { see: "tags (a list", type: `1,2${keys.enter}` },
      { see: "on (true or false): ", type: keys.enter },
      { see: "text (text): ", type: keys.enter },
      { see: '{"count":12,"size":"small","tags":[1,2]}', type: `typed count=3 text="a b" tags:=[4]${keys.enter}` },
      { see: '{"count":3,"text":"a b","tags":[4]}', type: `:quit${keys.enter}` },
    ]);
    expect(code).toBe(0);
    expect(frames[0]).toContain("Tools (5)");
  });

  test("reads resources, fills in templates and prompts, completes names, and suggests what was meant", async () => {
    const { code } = await inspect([
      { see: "> ", type: `note://one${keys.enter}` },
      { see: "a note", type: `any://{id}${keys.enter}` },
      { see: "id (text): ", type: `seven${keys.enter}` },
      { see: "any seven", type: `any://eight${keys.enter}` },
      { see: "any eight", type: "gre" },
      { see: "gre", type: keys.tab },
      { see: "et", type: keys.enter },
      { see: "who (text): ", type: `Ada${keys.enter}` },
      { see: "Hello Ada", type: `typd${keys.enter}` },
      { see: 'nothing named "typd". Did you mean typed?', type: `:schema typed${keys.enter}` },
      { see: '"size"', type: `work${keys.enter}` },
      { see: "1 of 2 half", type: `fail${keys.enter}` },
      { see: "The tool failed:", type: keys.end },
    ]);
    expect(code).toBe(0);
  });

  test("lets the user answer a tool's question, or cancel it", async () => {
    const { code } = await inspect([
      { see: "> ", type: `ask${keys.enter}` },
      { see: "name, Whose", type: `Ada${keys.enter}` },
      { see: "age (a whole number): ", type: `36${keys.enter}` },
      { see: 'accept {"name":"Ada","age":36}', type: `ask${keys.enter}` },
      { see: "name, Whose", type: keys.interrupt },
      { see: "cancel null", type: keys.end },
    ]);
    expect(code).toBe(0);
  });

  test("is not controlled by the server's text", async () => {
    const { output } = await inspect([
      { see: "> ", type: `shout${keys.enter}` },
      { see: "two", type: `fail${keys.enter}` },
      { see: "no luck", type: keys.end },
    ]);
    const ours = new RegExp(String.raw`${keys.escape}\[(?:\d*[GJK]|\d+;\d+H|\?2004[hl])`, "g");
    expect(output.replaceAll(ours, "")).not.toMatch(/[^\P{C}\r\n]/u);
  });
});

test("without a terminal, inspect prints what there is", async () => {
  const { code, stdout } = await runHere("inspect", hostile);
  expect(code).toBe(0);
  expect(stdout).toContain("Tools (5)\n  shout()\n      First line");
  expect(stdout).toContain(
    'typed(count: integer, size?: "small" | "large", tags?: array, on?: boolean, text?: string)',
  );
  expect(stdout).toContain("  note://one\n");
  expect(stdout).toContain("  greet(who)");
  expect(stdout).not.toMatch(/[^\P{C}\n]/u);
});
