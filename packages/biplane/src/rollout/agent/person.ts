import { createInterface } from "node:readline/promises";
import { isRecord, messageOf, tryParseJson } from "@biplane/core/internal";
import type { ToolDefinition } from "../message.ts";
import { messageText } from "../message.ts";
import type { Action, Agent, EpisodePlayer, Turn, AgentView } from "./agent.ts";
import { callTurn, lastTurn } from "./agent.ts";

export interface PersonOptions {
  readonly input?: NodeJS.ReadableStream;
  readonly output?: NodeJS.WritableStream;
}

/** A person at the terminal, who sees what a model would see. */
export function personAgent(options: PersonOptions = {}): Agent {
  const { input = process.stdin, output = process.stderr } = options;
  return {
    name: "person",
    model: "person",
    begin: ({ tools }): EpisodePlayer => {
      const lines = createInterface({ input, output, terminal: false });
      output.write(
        `${tools.map(describe).join("\n")}\nType a tool and its arguments, a message, or an empty line to stop.\n`,
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
  view: AgentView,
  terminal: { tools: readonly ToolDefinition[]; output: NodeJS.WritableStream; incoming: AsyncIterator<string> },
): Promise<Turn> {
  const last = view.messages.at(-1);
  if (last) terminal.output.write(`\n${messageText(last)}\n`);
  while (true) {
    terminal.output.write("> ");
    const { value, done } = await terminal.incoming.next();
    const line = done ? "" : value.trim();
    if (line === "") return lastTurn();
    const read = readLine(line, terminal.tools);
    if (typeof read !== "string") return "message" in read ? read : callTurn([read], view.step);
    terminal.output.write(`${read}\n`);
  }
}

/**
 * A call is `lake_move DOWN`, `lake_move action=DOWN` or `lake_move {"action":"DOWN"}`. Any other line is a message to
 * the user and ends the turn. Returns a string if the line is invalid.
 */
function readLine(line: string, tools: readonly ToolDefinition[]): Action | Turn | string {
  const [first = "", ...rest] = line.split(/\s+/);
  const only = tools.length === 1 ? tools[0] : undefined;
  const found = tools.find((tool) => tool.function.name === first);
  const tool = found ?? (only && isValue(only, line) ? only : undefined);
  if (!tool) return lastTurn(line);
  const text = found ? rest.join(" ") : line;
  try {
    return { tool: tool.function.name, input: readInput(text, tool) };
  } catch (error) {
    return messageOf(error);
  }
}

function readInput(text: string, { function: { parameters } }: ToolDefinition): Record<string, unknown> {
  if (text === "") return {};
  if (text.startsWith("{")) return JSON.parse(text) as Record<string, unknown>;
  const properties = isRecord(parameters["properties"]) ? Object.keys(parameters["properties"]) : [];
  const readValue = (written: string) => tryParseJson(written, { otherwise: written });
  const pairs = text.split(/\s+/).map((part, at) => {
    const equals = part.indexOf("=");
    if (equals > 0) return [part.slice(0, equals), readValue(part.slice(equals + 1))] as const;
    const name = properties[at];
    if (name === undefined) throw new Error(`There is no parameter for ${part}.`);
    return [name, readValue(part)] as const;
  });
  return Object.fromEntries(pairs);
}

/** With a single tool, an enum value of it can be typed without the tool's name. */
function isValue({ function: { parameters } }: ToolDefinition, line: string): boolean {
  const properties = isRecord(parameters["properties"]) ? Object.values(parameters["properties"]) : [];
  return properties.some(
    (property) => isRecord(property) && Array.isArray(property["enum"]) && property["enum"].includes(line),
  );
}

function describe({ function: { name, description, parameters } }: ToolDefinition): string {
  return `${name}  ${description}\n  ${JSON.stringify(parameters["properties"] ?? {})}`;
}
