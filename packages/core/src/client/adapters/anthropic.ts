import type { ToolInfo } from "../results.ts";
import { callForModel } from "./call-for-model.ts";
import type { ModelCallOptions } from "./call-for-model.ts";
import { modelName } from "./model-name.ts";
import { modelContent } from "./model-content.ts";
import type { ModelContent } from "./model-content.ts";
import type { ToolSource } from "./tool-source.ts";

/** A tool definition of Anthropic's Messages API. */
export interface AnthropicTool {
  name: string;
  description?: string;
  input_schema: { type: "object"; [key: string]: unknown };
}

/** A `tool_use` block in the content of a model's message. */
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

/** Converts tools for the `tools` field of a request. */
export function anthropicTools(tools: readonly ToolInfo[]): AnthropicTool[] {
  return tools.map(({ name, description, inputSchema }) => ({
    name: modelName(name),
    ...(description !== undefined && { description }),
    input_schema: { ...inputSchema, type: "object" },
  }));
}

/** Runs a call and returns the `tool_result` block for it. */
export async function callFromAnthropic(
  source: ToolSource,
  call: AnthropicToolUse,
  options: ModelCallOptions = {},
): Promise<AnthropicToolResult> {
  const result = await callForModel(source, call, options);
  return {
    type: "tool_result",
    tool_use_id: call.id,
    content: modelContent(result).filter(isNotEmpty).map(partOf),
    ...(result.isError === true && { is_error: true }),
  };
}

/** Runs all calls of a message in parallel and returns the message with their results; undefined without calls. */
export async function callsFromAnthropic(
  source: ToolSource,
  content: readonly { readonly type: string }[],
  options: ModelCallOptions = {},
): Promise<{ role: "user"; content: AnthropicToolResult[] } | undefined> {
  const calls = content.filter((block): block is AnthropicToolUse => block.type === "tool_use");
  if (calls.length === 0) return undefined;
  return { role: "user", content: await Promise.all(calls.map((call) => callFromAnthropic(source, call, options))) };
}

/** The API rejects empty text blocks. */
function isNotEmpty(part: ModelContent): boolean {
  return part.kind !== "text" || part.text.trim() !== "";
}

function partOf(part: ModelContent): AnthropicPart {
  if (part.kind === "text") return { type: "text", text: part.text };
  return { type: "image", source: { type: "base64", media_type: part.mimeType, data: part.data } };
}
