import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { isRecord } from "../../../../packages/core/src/is-record.ts";
import { Text } from "../../components/text.tsx";
import { plural } from "../../format.ts";

/** A message of an observation. */
interface ChatMessage {
  readonly from: string;
  readonly text: string;
}

/** The messages, if a list is a conversation: each item has a text, and says who wrote it. */
export function chatIn(list: readonly unknown[]): readonly ChatMessage[] | undefined {
  const messages = list.map(messageIn).filter((message) => message !== undefined);
  return messages.length > 0 && messages.length === list.length ? messages : undefined;
}

function messageIn(value: unknown): ChatMessage | undefined {
  if (!isRecord(value) || typeof value["content"] !== "string") return undefined;
  const from = value["role"] ?? value["sender"] ?? value["sender_id"];
  // Objects with more keys lose too much as a message.
  if ((typeof from !== "string" && typeof from !== "number") || Object.keys(value).length > 3) return undefined;
  return { from: from === -1 ? "game" : typeof from === "number" ? `player ${from}` : from, text: value["content"] };
}

/** A conversation, oldest message first. Only the last messages are shown at first, so that the answer is near. */
export function Chat(props: { readonly messages: readonly ChatMessage[]; readonly label: string }): JSX.Element {
  const { messages, label } = props;
  const [maxShown, setMaxShown] = useState(4);
  const earlier = Math.max(0, messages.length - maxShown);
  return (
    <ol class="messages chat" aria-label={label}>
      {earlier > 0 && (
        <li>
          <button type="button" class="more" onClick={() => setMaxShown(maxShown * 4)}>
            {plural(earlier, "earlier message")}
          </button>
        </li>
      )}
      {messages.slice(earlier).map(({ from, text }, at) => (
        <li key={at + earlier} class={`message message-${roles.has(from) ? from : "other"}`}>
          <div class="message-head">
            <Text value={roles.get(from) ?? from} maxLength={40} isFixed />
          </div>
          <Text value={text.trim()} isBlock maxLength={1200} />
        </li>
      ))}
    </ol>
  );
}

const roles: ReadonlyMap<string, string> = new Map(
  ["System", "User", "Assistant", "Tool", "Developer"].map((role) => [role.toLowerCase(), role]),
);
