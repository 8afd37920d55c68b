/** A message as OpenAI's chat has it, with what Eval Protocol adds. Fields that are not known here are kept. */
export interface Message {
  readonly role: string;
  readonly content?: string | readonly ContentPart[] | null;
  readonly tool_calls?: readonly ToolCall[];
  readonly tool_call_id?: string;
  readonly name?: string;
  readonly reasoning_content?: string;
  readonly control_plane_step?: ControlPlaneStep;
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

/** What the control plane said of a step, on the message that ends it. No model ever sees it. */
export interface ControlPlaneStep {
  readonly step: number;
  readonly reward: number;
  readonly terminated: boolean;
  readonly truncated?: boolean;
  readonly info: Readonly<Record<string, unknown>>;
  readonly tool_calls: readonly string[];
  readonly num_tool_calls: number;
  readonly termination_reason?: string;
}

/** A tool as it is offered to a model. */
export interface ToolDefinition {
  readonly type: "function";
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: Readonly<Record<string, unknown>>;
  };
}

/** The messages as a model may see them: without rewards, endings or anything else that is ours. */
export function messagesForModel(messages: readonly Message[]): Message[] {
  return messages.map((message) => {
    const seen: Record<string, unknown> = {};
    for (const field of seenByModels) if (message[field] !== undefined) seen[field] = message[field];
    return seen as unknown as Message;
  });
}

const seenByModels = ["role", "content", "tool_calls", "tool_call_id", "name", "reasoning_details"] as const;

/** The text of a message, whatever form its content has. */
export function textOf({ content }: Message): string {
  if (typeof content === "string") return content;
  return (content ?? []).map((part) => (part.type === "text" ? part.text : "")).join("");
}
