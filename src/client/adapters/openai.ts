import { messageOf } from "../../errors.ts";
import type { ToolInfo } from "../results.ts";
import { callForModel } from "./call-for-model.ts";
import type { ModelCallOptions } from "./call-for-model.ts";
import { modelName } from "./model-name.ts";
import { shown } from "./shown-content.ts";
import type { Shown } from "./shown-content.ts";
import type { ToolSource } from "./tool-source.ts";

/** A tool as OpenAI's chat API takes it. */
export interface OpenAiTool {
  type: "function";
  function: { name: string; description?: string; parameters: Record<string, unknown> };
}

/** A call as a model makes it, in `message.tool_calls`. */
export interface OpenAiToolCall {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

export interface OpenAiToolMessage {
  role: "tool";
  tool_call_id: string;
  content: string;
}

/** The tool messages may hold no pictures, so these follow in a message of the user's. */
export interface OpenAiPictureMessage {
  role: "user";
  content: ({ type: "text"; text: string } | { type: "image_url"; image_url: { url: string } })[];
}

/** Tools for the `tools` of a request. */
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

/** Makes a call, and gives the message that answers it. */
export async function callFromOpenAi(
  source: ToolSource,
  call: OpenAiToolCall,
  options: ModelCallOptions = {},
): Promise<OpenAiToolMessage> {
  return messageFor(call, await shownFor(source, call, options));
}

/** Makes all calls of a turn at once: their answers in order and, where there are pictures, a message with these. */
export async function callsFromOpenAi(
  source: ToolSource,
  calls: readonly OpenAiToolCall[],
  options: ModelCallOptions = {},
): Promise<(OpenAiToolMessage | OpenAiPictureMessage)[]> {
  const answers = await Promise.all(calls.map((call) => shownFor(source, call, options)));
  const messages = calls.map((call, at) => messageFor(call, answers[at] ?? []));
  const pictures = calls.flatMap((call, at) => picturesOf(call, answers[at] ?? []));
  return pictures.length > 0 ? [...messages, { role: "user", content: pictures }] : messages;
}

async function shownFor(source: ToolSource, call: OpenAiToolCall, options: ModelCallOptions): Promise<Shown[]> {
  const { name, arguments: written } = call.function;
  let input: unknown;
  try {
    input = written.trim() === "" ? {} : JSON.parse(written);
  } catch (error) {
    return [{ kind: "text", text: `Error: the arguments are not JSON: ${messageOf(error)}` }];
  }
  return shown(await callForModel(source, { name, input }, options));
}

function messageFor({ id }: OpenAiToolCall, parts: readonly Shown[]): OpenAiToolMessage {
  const lines = parts.map((part) => (part.kind === "text" ? part.text : `[${part.mimeType}, in the next message]`));
  return { role: "tool", tool_call_id: id, content: lines.join("\n") };
}

function picturesOf(
  { id, function: { name } }: OpenAiToolCall,
  parts: readonly Shown[],
): OpenAiPictureMessage["content"] {
  const pictures = parts.flatMap((part) => (part.kind === "image" ? [part] : []));
  if (pictures.length === 0) return [];
  return [
    { type: "text", text: `From ${name} (${id}):` },
    ...pictures.map(({ data, mimeType }) => ({
      type: "image_url" as const,
      image_url: { url: `data:${mimeType};base64,${data}` },
    })),
  ];
}
