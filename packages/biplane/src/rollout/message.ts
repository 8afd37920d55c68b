import type { MessageTokens } from "./message-tokens.ts";

/** A message of OpenAI's chat API, with Eval Protocol's additions. Unknown fields are kept. */
export interface ChatMessage {
  readonly role: string;
  readonly content?: string | readonly ContentPart[] | null;
  readonly tool_calls?: readonly ToolCall[];
  readonly tool_call_id?: string;
  readonly name?: string;
  readonly reasoning_content?: string;
  readonly control_plane_step?: ControlPlaneStep;
  /** The tokens of a reply, if the model server gave them. Hidden from models. */
  readonly tokens?: MessageTokens;
  readonly [field: string]: unknown;
}

export type ContentPart = TextPart | ImagePart;

export interface TextPart {
  readonly type: "text";
  readonly text: string;
}

export interface ImagePart {
  readonly type: "image_url";
  readonly image_url: { readonly url: string; readonly [field: string]: unknown };
}

export interface ToolCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

/** A step's reward and status in Eval Protocol's format, on the message that ends the step. Hidden from models. */
export interface ControlPlaneStep {
  readonly step: number;
  /** Null if it is unknown because something failed. */
  readonly reward: number | null;
  readonly terminated: boolean;
  readonly truncated?: boolean;
  readonly info: Readonly<Record<string, unknown>>;
  readonly tool_calls: readonly string[];
  readonly num_tool_calls: number;
  readonly termination_reason?: string;
}

/** A tool definition for a model. */
export interface ToolDefinition {
  readonly type: "function";
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: Readonly<Record<string, unknown>>;
  };
}

/** Keeps only the fields that models may see: no rewards, status or other metadata. */
export function messagesForModel(messages: readonly ChatMessage[]): ChatMessage[] {
  return messages.map((message) => {
    const visible: Record<string, unknown> = {};
    for (const field of modelFields) if (message[field] !== undefined) visible[field] = message[field];
    return visible as unknown as ChatMessage;
  });
}

const modelFields = ["role", "content", "tool_calls", "tool_call_id", "name", "reasoning_details"] as const;

/** The text of a message, without images. */
export function messageText({ content }: ChatMessage): string {
  if (typeof content === "string") return content;
  return (content ?? []).map((part) => (part.type === "text" ? part.text : "")).join("");
}
