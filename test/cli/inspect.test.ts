import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { commandLine, runBiplane } from "./command.ts";
import { inTerminal, keys } from "./terminal.ts";
import type { Step } from "./terminal.ts";

const hostile = fileURLToPath(new URL("hostile-server.ts", import.meta.url));
const inspect = (steps: readonly Step[], options = {}) => inTerminal(commandLine("inspect", hostile), steps, options);

describe("inspect, in a terminal of 80 by 24", () => {
  test("shows what there is, calls a tool from a form, and leaves the terminal as it was", async () => {
    const { code, frames, output } = await inspect([
      { see: "[Tools 5]", type: keys.down + keys.down + keys.enter },
      { see: "count*", type: `12${keys.enter}` },
      { see: "one of small, large", type: keys.right + keys.enter },
      { see: "a list", type: `1,2${keys.enter}` },
      { see: "true or false", type: keys.enter + keys.enter },
      { see: "> [ Call ]", type: keys.enter },
      { see: '{"count":12,"size":"small","tags":[1,2]}', type: keys.escape },
      { see: "[ Call ]", type: keys.escape },
      { see: "[Tools 5]", type: "q" },
    ]);
    expect(code).toBe(0);
    expect(frames[0]).toContain("> shout");
    expect(output).toContain("\u001B[?1049h");
    expect(output.trimEnd().endsWith("\u001B[?25h\u001B[?1049l")).toBe(true);
    expect(widest(output)).toBeLessThanOrEqual(80);
  });

  test("reads resources, fills in templates and prompts, filters, and tells of what is typed wrong", async () => {
    const { code } = await inspect([
      { see: "[Tools 5]", type: keys.tab },
      { see: "[Resources 2]", type: keys.enter },
      { see: "a note", type: keys.escape },
      { see: "[Resources 2]", type: keys.down + keys.enter },
      { see: "id*", type: `seven${keys.enter}` },
      { see: "> [ Read ]", type: keys.enter },
      { see: "any seven", type: keys.escape },
      { see: "[ Read ]", type: keys.escape },
      { see: "[Resources 2]", type: keys.tab + keys.enter },
      { see: "who*", type: `Ada${keys.enter}${keys.enter}` },
      { see: "Hello Ada", type: keys.escape },
      { see: "[ Get ]", type: keys.escape },
      { see: "[Prompts 1]", type: keys.tab },
      { see: "[Tools 5]", type: `/typ${keys.enter}${keys.enter}` },
      { see: "count*", type: `many${keys.up}` },
      { see: "> [ Call ]", type: keys.enter },
      { see: 'count must be a whole number, not "many"', type: keys.interrupt },
    ]);
    expect(code).toBe(0);
  });

  test("lets whoever looks answer what a tool asks, or decline", async () => {
    const { code } = await inspect([
      { see: "[Tools 5]", type: keys.down + keys.enter },
      { see: "> [ Call ]", type: keys.enter },
      { see: "Who are you?", type: `Ada${keys.enter}36${keys.enter}` },
      { see: "> [ Send ]", type: keys.enter },
      { see: 'accept {"name":"Ada","age":36}', type: keys.escape },
      { see: "> [ Call ]", type: keys.enter },
      { see: "Who are you?", type: keys.up },
      { see: "> [ Decline ]", type: keys.enter },
      { see: "decline null", type: keys.interrupt },
    ]);
    expect(code).toBe(0);
  });

  test("does nothing that the server's words say, and shows no colours where none are wanted", async () => {
    const { output } = await inspect(
      [
        { see: "[Tools 5]", type: keys.enter },
        { see: "> [ Call ]", type: keys.enter },
        { see: "two  three", type: keys.interrupt },
      ],
      {
        environment: { NO_COLOR: "1" },
      },
    );
    const ours = new RegExp(String.raw`${keys.escape}\[(?:\?1049[hl]|\?25[hl]|H|K|\d+;\d+H)`, "g");
    expect(output.replaceAll(ours, "")).not.toMatch(/[^\P{C}\r\n]/u);
  });

  test("fits a smaller terminal, and ends cleanly when it is told to", async () => {
    const size = { rows: 8, columns: 30 };
    const { output, code } = await inspect(
      [
        { see: "[Tools 5]", type: keys.down + keys.down + keys.enter },
        { see: "count", signal: "SIGTERM" },
      ],
      size,
    );
    expect(code).toBe(0);
    expect(widest(output)).toBeLessThanOrEqual(30);
    expect(output.trimEnd().endsWith("\u001B[?1049l")).toBe(true);
  });
});

test("without a terminal, inspect prints what there is", async () => {
  const { code, stdout } = await runBiplane("inspect", hostile);
  expect(code).toBe(0);
  expect(stdout).toContain("Tools (5)\n  shout()\n      First line");
  expect(stdout).toContain(
    'typed(count: integer, size?: "small" | "large", tags?: array, on?: boolean, text?: string)',
  );
  expect(stdout).toContain("  note://one\n");
  expect(stdout).toContain("  greet(who)");
  expect(stdout).not.toMatch(/[^\P{C}\n]/u);
});

/** Of the lines that were drawn. */
function widest(output: string): number {
  const lines = output
    .replaceAll(new RegExp(String.raw`${keys.escape}\[[?\d;]*[A-Za-z]`, "g"), (code) =>
      code.endsWith("H") ? "\n" : "",
    )
    .split(/\r*\n/);
  return Math.max(...lines.map((line) => Array.from(line).length));
}
