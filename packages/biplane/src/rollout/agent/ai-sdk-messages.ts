import { tryParseJson } from "@biplane/core/internal";
import { messageText } from "../message.ts";
import type { ChatMessage, ContentPart, ToolCall } from "../message.ts";

/** Converts messages for Vercel's AI SDK. `known` returns the SDK's own form of a reply that it gave. */
export function modelMessages(
  messages: readonly ChatMessage[],
  known: (message: ChatMessage) => unknown = () => undefined,
): unknown[] {
  const names = new Map(
    messages.flatMap(({ tool_calls: calls = [] }) => calls.map((call) => [call.id, call] as const)),
  );
  const converted: unknown[] = [];
  let images: object[] = [];
  for (const message of messages) {
    if (message.role === "tool") {
      converted.push(toolResult(message, names));
      images.push(...imagesOf(message));
      continue;
    }
    if (images.length > 0) converted.push({ role: "user", content: images });
    images = [];
    converted.push(known(message) ?? converse(message));
  }
  // Not every provider takes images in a tool's result, but every one takes them from the user, after all results.
  if (images.length > 0) converted.push({ role: "user", content: images });
  return converted;
}

function converse(message: ChatMessage): object {
  const { role, content, tool_calls: calls = [] } = message;
  if (role === "assistant") {
    const text = messageText(message);
    return { role, content: [...(text === "" ? [] : [{ type: "text", text }]), ...calls.map(toolCall)] };
  }
  if (role === "system" || typeof content === "string") return { role, content: messageText(message) };
  return { role, content: (content ?? []).map(part) };
}

function toolCall({ id, function: { name, arguments: text } }: ToolCall): object {
  return { type: "tool-call", toolCallId: id, toolName: name, input: tryParseJson(text, { otherwise: {} }) };
}

function toolResult(message: ChatMessage, calls: ReadonlyMap<string, ToolCall>): object {
  const id = message.tool_call_id ?? "";
  const toolName = calls.get(id)?.function.name ?? message.name ?? "unknown";
  const output = { type: "text", value: messageText(message) };
  return { role: "tool", content: [{ type: "tool-result", toolCallId: id, toolName, output }] };
}

function imagesOf({ content }: ChatMessage): object[] {
  return typeof content === "string" ? [] : (content ?? []).filter(({ type }) => type === "image_url").map(part);
}

/** Only data URLs become images: the SDK would load other addresses from this machine, and the environment names them. */
function part(given: ContentPart): object {
  if (given.type === "text") return { type: "text", text: given.text };
  const [, mediaType, image] = /^data:([^;,]+);base64,(.*)$/s.exec(given.image_url.url) ?? [];
  if (image === undefined) return { type: "text", text: `[image: ${given.image_url.url}]` };
  return { type: "image", image, mediaType };
}
