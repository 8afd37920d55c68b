import type { ToolInfo } from "../results.ts";
import { callForModel } from "./call-for-model.ts";
import type { ModelCallOptions } from "./call-for-model.ts";
import { modelName } from "./model-name.ts";
import { shown } from "./shown-content.ts";
import type { Shown } from "./shown-content.ts";
import type { ToolSource } from "./tool-source.ts";

/** A tool as Anthropic's messages API takes it. */
export interface AnthropicTool {
  name: string;
  description?: string;
  input_schema: { type: "object"; [key: string]: unknown };
}

/** A call as a model makes it, among the content of its message. */
export interface AnthropicToolUse {
  readonly type: "tool_use";
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

export interface AnthropicToolResult {
  type: "tool_result";
  tool_use_id: string;
  content: AnthropicPart[];
  is_error?: boolean;
}

type AnthropicPart =
  | { type: "text"; text: string }
  | { type: "image"; source: { type: "base64"; media_type: string; data: string } };

/** Tools for the `tools` of a request. */
export function anthropicTools(tools: readonly ToolInfo[]): AnthropicTool[] {
  return tools.map(({ name, description, inputSchema }) => ({
    name: modelName(name),
    ...(description !== undefined && { description }),
    input_schema: { ...inputSchema, type: "object" },
  }));
}

/** Makes a call, and gives the block that answers it. */
export async function callFromAnthropic(
  source: ToolSource,
  call: AnthropicToolUse,
  options: ModelCallOptions = {},
): Promise<AnthropicToolResult> {
  const result = await callForModel(source, call, options);
  return {
    type: "tool_result",
    tool_use_id: call.id,
    content: shown(result).filter(isNotEmpty).map(partOf),
    ...(result.isError === true && { is_error: true }),
  };
}

/** Makes all calls in a message's content at once, and gives the message that answers them; undefined where there are none. */
export async function callsFromAnthropic(
  source: ToolSource,
  content: readonly { readonly type: string }[],
  options: ModelCallOptions = {},
): Promise<{ role: "user"; content: AnthropicToolResult[] } | undefined> {
  const calls = content.filter((block): block is AnthropicToolUse => block.type === "tool_use");
  if (calls.length === 0) return undefined;
  return { role: "user", content: await Promise.all(calls.map((call) => callFromAnthropic(source, call, options))) };
}

/** The API refuses texts with nothing in them. */
function isNotEmpty(part: Shown): boolean {
  return part.kind !== "text" || part.text.trim() !== "";
}

function partOf(part: Shown): AnthropicPart {
  if (part.kind === "text") return { type: "text", text: part.text };
  return { type: "image", source: { type: "base64", media_type: part.mimeType, data: part.data } };
}
