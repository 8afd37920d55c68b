import { messageOf } from "../../errors.ts";
import type { ToolInfo } from "../results.ts";
import { callForModel } from "./call-for-model.ts";
import type { ModelCallOptions } from "./call-for-model.ts";
import { modelName } from "./model-name.ts";
import { modelContent } from "./model-content.ts";
import type { ModelContent } from "./model-content.ts";
import type { ToolSource } from "./tool-source.ts";

/** A tool definition of OpenAI's chat API. */
export interface OpenAiTool {
  type: "function";
  function: { name: string; description?: string; parameters: Record<string, unknown> };
}

/** A call in a model's `message.tool_calls`. */
export interface OpenAiToolCall {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

export interface OpenAiToolMessage {
  role: "tool";
  tool_call_id: string;
  content: string;
}

/** Tool messages cannot contain images, so these follow in a user message. */
export interface OpenAiImageMessage {
  role: "user";
  content: ({ type: "text"; text: string } | { type: "image_url"; image_url: { url: string } })[];
}

/** Converts tools for the `tools` field of a request. */
export function openAiTools(tools: readonly ToolInfo[]): OpenAiTool[] {
  return tools.map(({ name, description, inputSchema }) => ({
    type: "function",
    function: {
      name: modelName(name),
      ...(description !== undefined && { description }),
      parameters: { type: "object", properties: {}, ...inputSchema },
    },
  }));
}

/** Runs a call and returns the tool message for it. */
export async function callFromOpenAi(
  source: ToolSource,
  call: OpenAiToolCall,
  options: ModelCallOptions = {},
): Promise<OpenAiToolMessage> {
  return messageFor(call, await contentFor(source, call, options));
}

/** Runs all calls of a turn in parallel. Returns their tool messages in order, then a message with any images. */
export async function callsFromOpenAi(
  source: ToolSource,
  calls: readonly OpenAiToolCall[],
  options: ModelCallOptions = {},
): Promise<(OpenAiToolMessage | OpenAiImageMessage)[]> {
  const answers = await Promise.all(calls.map((call) => contentFor(source, call, options)));
  const messages = calls.map((call, at) => messageFor(call, answers[at] ?? []));
  const images = calls.flatMap((call, at) => imagesOf(call, answers[at] ?? []));
  return images.length > 0 ? [...messages, { role: "user", content: images }] : messages;
}

async function contentFor(
  source: ToolSource,
  call: OpenAiToolCall,
  options: ModelCallOptions,
): Promise<ModelContent[]> {
  const { name, arguments: text } = call.function;
  let input: unknown;
  try {
    input = text.trim() === "" ? {} : JSON.parse(text);
  } catch (error) {
    return [{ kind: "text", text: `Error: The arguments are not JSON: ${messageOf(error)}` }];
  }
  return modelContent(await callForModel(source, { name, input }, options));
}

function messageFor({ id }: OpenAiToolCall, parts: readonly ModelContent[]): OpenAiToolMessage {
  const lines = parts.map((part) => (part.kind === "text" ? part.text : `[${part.mimeType}, in the next message]`));
  return { role: "tool", tool_call_id: id, content: lines.join("\n") };
}

function imagesOf(
  { id, function: { name } }: OpenAiToolCall,
  parts: readonly ModelContent[],
): OpenAiImageMessage["content"] {
  const images = parts.flatMap((part) => (part.kind === "image" ? [part] : []));
  if (images.length === 0) return [];
  return [
    { type: "text", text: `From ${name} (${id}):` },
    ...images.map(({ data, mimeType }) => ({
      type: "image_url" as const,
      image_url: { url: `data:${mimeType};base64,${data}` },
    })),
  ];
}
