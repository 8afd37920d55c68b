import type { JSX } from "preact";
import { ValueView } from "../episodes/value-view.tsx";
import { MessageItem } from "./messages.tsx";
import { StepCall } from "./step-facts.tsx";
import type { Turn } from "./turns.ts";

/** What was said and done in a turn: its messages, and the call and the observation if no message shows them. */
export function TurnMessages(props: {
  readonly turn: Pick<Turn, "messages" | "call" | "observation">;
  /** Names the parts for screen readers. */
  readonly label: string;
}): JSX.Element {
  const { turn, label } = props;
  const { messages, call, observation } = turn;
  return (
    <ol class="messages" aria-label={label}>
      {messages.map((message, at) =>
        message.role === "tool" ? (
          <li key={at} class="message message-tool">
            <div class="message-head">Result</div>
            <ValueView value={contentOf(message.content)} label={`${label}, result ${at + 1}`} />
          </li>
        ) : (
          <MessageItem key={at} message={message} label={`${label}, message ${at + 1}`} />
        ),
      )}
      {call && (
        <li class="message message-assistant">
          <div class="message-head">Call</div>
          <StepCall call={call} />
        </li>
      )}
      {observation !== undefined && observation !== null && (
        <li class="message message-tool">
          <div class="message-head">Observation</div>
          <ValueView value={observation} label={`${label}, observation`} />
        </li>
      )}
    </ol>
  );
}

/** One text part is shown like a plain text. */
function contentOf(content: unknown): unknown {
  if (!Array.isArray(content) || content.length !== 1) return content;
  const [only] = content as readonly { readonly type?: unknown; readonly text?: unknown }[];
  return only?.type === "text" && typeof only.text === "string" ? only.text : content;
}
