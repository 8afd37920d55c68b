/** Plays a user: says something, or uses the user's own tools first. */
export type UserSimulator = (view: UserView) => Promise<UserTurn>;

/** What a simulated user sees. */
export interface UserView {
  /** The user's prompt, and the conversation with its own calls. The user is the assistant in it. */
  readonly messages: readonly UserMessage[];
  readonly tools: readonly UserTool[];
  readonly signal: AbortSignal;
}

/** A message of OpenAI's chat API. */
export interface UserMessage {
  readonly role: string;
  readonly content: string | null;
  readonly tool_calls?: readonly UserToolCall[];
  readonly tool_call_id?: string;
  readonly [field: string]: unknown;
}

interface UserToolCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

/** A tool of the user, as models expect it. */
export interface UserTool {
  readonly type: "function";
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: Readonly<Record<string, unknown>>;
  };
}

export interface UserTurn {
  readonly text?: string | undefined;
  readonly calls?:
    | readonly { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> }[]
    | undefined;
}

/** What one side said, or called. */
export type SpokenEvent =
  | { readonly side: "assistant" | "user"; readonly text: string }
  | { readonly side: "assistant" | "user"; readonly call: SpokenCall };

interface SpokenCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly content: string;
}

/** The conversation as the user's model sees it: its own turns are the assistant's, and the agent's calls are hidden. */
export function messagesForUser(prompt: string, events: readonly SpokenEvent[]): UserMessage[] {
  const messages: UserMessage[] = [{ role: "system", content: prompt }];
  for (const [index, event] of events.entries()) {
    if ("text" in event) messages.push({ role: event.side === "user" ? "assistant" : "user", content: event.text });
    else if (event.side === "user") messages.push(...callMessages(event.call, `call_${index}`));
  }
  return messages;
}

/** Asks the user for a turn, and once more if it is empty. */
export async function askUser(user: UserSimulator, view: UserView): Promise<UserTurn> {
  const isEmpty = ({ text, calls }: UserTurn) => (text ?? "").trim() === "" && (calls ?? []).length === 0;
  const turn = await user(view);
  const again = isEmpty(turn) ? await user(view) : turn;
  if (isEmpty(again)) throw new Error("The simulated user said nothing twice.");
  return again;
}

/** A failure of the simulated user or of the evaluator says nothing about the agent: it masks the episode. */
export function conversationFailure(end: { readonly reason: string; readonly detail?: string } | undefined) {
  const message = end?.detail ?? "";
  if (end?.reason === "user_error") return { kind: "simulator", message } as const;
  return end?.reason === "evaluator_error" ? ({ kind: "judge", message } as const) : undefined;
}

function callMessages({ name, arguments: input, content }: SpokenCall, id: string): UserMessage[] {
  const call = { id, type: "function" as const, function: { name, arguments: JSON.stringify(input) } };
  return [
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: id, content },
  ];
}
