import { BiplaneError } from "../../errors.ts";
import type { Message, ToolDefinition } from "../message.ts";
import { textOf } from "../message.ts";
import type { Turn } from "./agent.ts";

/**
 * Code actions for models that know no tool calls, or do better without: the model writes a block of code, and the block
 * becomes a call of `run_code`. In the trace it is a call like any other.
 */
export function codeMessages(messages: readonly Message[], tools: readonly ToolDefinition[]): Message[] {
  const { description } = codeToolIn(tools).function;
  const instructions = `${description}\n\nTo act, answer with one block of code between \`\`\` and \`\`\`. To end, answer without one.`;
  return [
    { role: "system", content: instructions },
    ...messages.map((message): Message => {
      if (message.role === "tool") return { role: "user", content: `Result:\n${textOf(message)}` };
      const { tool_calls: _, ...spoken } = message;
      return spoken;
    }),
  ];
}

/** The block of code in what a model said, as a call. */
export function codeTurn(turn: Turn, tools: readonly ToolDefinition[], at: number): Turn {
  const [, code] = /```[\w-]*\r?\n([\s\S]*?)```/.exec(textOf(turn.message)) ?? [];
  if (code === undefined) return turn;
  const { name } = codeToolIn(tools).function;
  const call = { id: `code_${at}`, type: "function" as const, function: { name, arguments: JSON.stringify({ code }) } };
  return { ...turn, message: { ...turn.message, tool_calls: [call] }, finishReason: "tool_calls" };
}

function codeToolIn(tools: readonly ToolDefinition[]): ToolDefinition {
  const takesCode = ({ function: { parameters } }: ToolDefinition) =>
    Object.hasOwn((parameters["properties"] as object | undefined) ?? {}, "code");
  const found = tools.find((tool) => tool.function.name === "run_code") ?? tools.find(takesCode);
  if (found) return found;
  throw new BiplaneError(
    "NOT_SUPPORTED",
    "code actions need an environment with a tool that runs code, such as run_code",
  );
}
