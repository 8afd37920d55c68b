import { isRecord } from "@biplane/core/internal";
import type { ChatMessage, ContentPart, ToolCall, ToolDefinition } from "../../rollout/message.ts";
import { textIn } from "./read-log.ts";
import type { LogFields } from "./read-log.ts";

/** The conversation of a sample in OpenAI's format. */
export function sampleMessages(sample: LogFields): ChatMessage[] {
  const attachments = isRecord(sample["attachments"]) ? sample["attachments"] : {};
  return recordsIn(sample["messages"]).map((message) => chatMessage(message, attachments));
}

/** The tools of the first request to the model. */
export function sampleTools(sample: LogFields): ToolDefinition[] {
  const request = recordsIn(sample["events"]).find(({ event }) => event === "model");
  return recordsIn(request?.["tools"]).map(({ name, description, parameters }) => ({
    type: "function",
    function: {
      name: textIn(name),
      description: textIn(description),
      parameters: isRecord(parameters) ? parameters : {},
    },
  }));
}

function chatMessage(message: LogFields, attachments: LogFields): ChatMessage {
  const { role, content, tool_calls: calls, tool_call_id: id, error } = message;
  const failure = isRecord(error) ? textIn(error["message"]) : undefined;
  return {
    role: textIn(role),
    content: failure ?? contentOf(content, attachments),
    ...(Array.isArray(calls) && calls.length > 0 && { tool_calls: recordsIn(calls).map(toolCall) }),
    ...(typeof id === "string" && { tool_call_id: id }),
    ...(failure !== undefined && { error: failure }),
  };
}

function toolCall({ id, function: name, arguments: input }: LogFields): ToolCall {
  return { id: textIn(id), type: "function", function: { name: textIn(name), arguments: JSON.stringify(input ?? {}) } };
}

function contentOf(content: unknown, attachments: LogFields): string | ContentPart[] {
  if (typeof content === "string") return resolved(content, attachments);
  const parts = recordsIn(content).flatMap(({ type, text, image }): ContentPart[] => {
    if (type === "text") return [{ type, text: resolved(text, attachments) }];
    return type === "image" ? [{ type: "image_url", image_url: { url: resolved(image, attachments) } }] : [];
  });
  return parts.every(({ type }) => type === "text")
    ? parts.map((part) => ("text" in part ? part.text : "")).join("")
    : parts;
}

/** Long texts are kept apart, under a hash. */
function resolved(text: unknown, attachments: LogFields): string {
  const plain = textIn(text);
  const [, hash] = /^attachment:\/\/(\w+)$/.exec(plain) ?? [];
  const found = hash !== undefined && Object.hasOwn(attachments, hash) ? attachments[hash] : undefined;
  return typeof found === "string" ? found : plain;
}

/** The objects in a list. Logs come from outside, so that anything may be there. */
export function recordsIn(value: unknown): LogFields[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
