import { BiplaneError } from "@biplane/core";
import type { ChatMessage, ToolDefinition } from "../message.ts";
import { messageText } from "../message.ts";
import type { Turn } from "./agent.ts";

/**
 * Prompts a model to act with code instead of tool calls. The code block in its reply becomes a call of `run_code`.
 */
export function codeMessages(messages: readonly ChatMessage[], tools: readonly ToolDefinition[]): ChatMessage[] {
  const { description } = codeToolIn(tools).function;
  const instructions = `${description}\n\nTo act, answer with one block of code between \`\`\` and \`\`\`. To end, answer without one.`;
  return [
    { role: "system", content: instructions },
    ...messages.map((message): ChatMessage => {
      if (message.role === "tool") return { role: "user", content: `Result:\n${messageText(message)}` };
      const { tool_calls: _, ...rest } = message;
      return rest;
    }),
  ];
}

/** Converts the code block in a turn into a tool call. */
export function codeTurn(turn: Turn, tools: readonly ToolDefinition[], at: number): Turn {
  const [, code] = /```[\w-]*\r?\n([\s\S]*?)```/.exec(messageText(turn.message)) ?? [];
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
    'toolStyle "code" needs an environment with a tool that runs code, such as run_code.',
  );
}
