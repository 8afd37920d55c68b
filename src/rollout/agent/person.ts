import { createInterface } from "node:readline/promises";
import { messageOf } from "../../errors.ts";
import { isObject } from "../../protocol/rpc.ts";
import type { ToolDefinition } from "../message.ts";
import { textOf } from "../message.ts";
import type { Action } from "../door/door.ts";
import type { Agent, Player, Turn, View } from "./agent.ts";
import { callTurn, lastTurn } from "./agent.ts";

export interface PersonOptions {
  readonly input?: NodeJS.ReadableStream;
  readonly output?: NodeJS.WritableStream;
}

/** A person at the terminal: sees what a model would see, and types what to do. */
export function personAgent(options: PersonOptions = {}): Agent {
  const { input = process.stdin, output = process.stderr } = options;
  return {
    name: "person",
    model: "person",
    begin: ({ tools }): Player => {
      const lines = createInterface({ input, output, terminal: false });
      output.write(
        `${tools.map(describe).join("\n")}\nType a tool and its arguments, some words, or nothing to stop.\n`,
      );
      const incoming = lines[Symbol.asyncIterator]();
      return {
        turn: (view) => ask(view, { tools, output, incoming }),
        end: () => lines.close(),
      };
    },
  };
}

async function ask(
  view: View,
  desk: { tools: readonly ToolDefinition[]; output: NodeJS.WritableStream; incoming: AsyncIterator<string> },
): Promise<Turn> {
  const last = view.messages.at(-1);
  if (last) desk.output.write(`\n${textOf(last)}\n`);
  while (true) {
    desk.output.write("> ");
    const { value, done } = await desk.incoming.next();
    const line = done ? "" : value.trim();
    if (line === "") return lastTurn();
    const read = readLine(line, desk.tools);
    if (typeof read !== "string") return "message" in read ? read : callTurn([read], view.step);
    desk.output.write(`${read}\n`);
  }
}

/** `lake_move DOWN`, `lake_move action=DOWN`, `lake_move {"action":"DOWN"}`; anything else is said. Text is a complaint. */
function readLine(line: string, tools: readonly ToolDefinition[]): Action | Turn | string {
  const [word = "", ...rest] = line.split(/\s+/);
  const only = tools.length === 1 ? tools[0] : undefined;
  const found = tools.find((tool) => tool.function.name === word);
  const tool = found ?? (only && isValue(only, line) ? only : undefined);
  if (!tool) return lastTurn(line);
  const text = found ? rest.join(" ") : line;
  try {
    return { name: tool.function.name, input: readInput(text, tool) };
  } catch (error) {
    return messageOf(error);
  }
}

function readInput(text: string, { function: { parameters } }: ToolDefinition): Record<string, unknown> {
  if (text === "") return {};
  if (text.startsWith("{")) return JSON.parse(text) as Record<string, unknown>;
  const properties = isObject(parameters["properties"]) ? Object.keys(parameters["properties"]) : [];
  const pairs = text.split(/\s+/).map((part, at) => {
    const equals = part.indexOf("=");
    if (equals > 0) return [part.slice(0, equals), value(part.slice(equals + 1))] as const;
    const name = properties[at];
    if (name === undefined) throw new Error(`there is no argument for ${part}`);
    return [name, value(part)] as const;
  });
  return Object.fromEntries(pairs);
}

/** With a single tool its name need not be typed, where the word is one that it knows. */
function isValue({ function: { parameters } }: ToolDefinition, line: string): boolean {
  const properties = isObject(parameters["properties"]) ? Object.values(parameters["properties"]) : [];
  return properties.some(
    (property) => isObject(property) && Array.isArray(property["enum"]) && property["enum"].includes(line),
  );
}

function value(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function describe({ function: { name, description, parameters } }: ToolDefinition): string {
  return `${name}  ${description}\n  ${JSON.stringify(parameters["properties"] ?? {})}`;
}
