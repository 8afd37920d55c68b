import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { TraceDetail } from "../../../../packages/biplane/src/admin/runs/run-api.ts";
import { Code } from "../../components/code.tsx";
import { Json } from "../../components/json.tsx";
import { Text } from "../../components/text.tsx";
import { plural } from "../../format.ts";
import { ImageView, imageIn } from "../episodes/image-view.tsx";
import { parsedValue } from "../episodes/value-view.tsx";

type Message = TraceDetail["messages"][number];

/** Chat messages, styled by role. */
export function Messages({ messages }: { readonly messages: readonly Message[] }): JSX.Element {
  const [maxShown, setMaxShown] = useState(30);
  if (messages.length === 0) return <p class="muted">No messages.</p>;
  return (
    <ol class="messages" aria-label="Messages">
      {messages.slice(0, maxShown).map((message, at) => (
        <MessageItem key={at} message={message} />
      ))}
      {messages.length > maxShown && (
        <li>
          <button type="button" class="more" onClick={() => setMaxShown(maxShown * 4)}>
            {plural(messages.length - maxShown, "more message")}
          </button>
        </li>
      )}
    </ol>
  );
}

function MessageItem({ message }: { readonly message: Message }): JSX.Element {
  const { role, content, tool_calls: calls, reasoning_content: reasoning, name } = message;
  const parts: readonly unknown[] = Array.isArray(content)
    ? content
    : content === null || content === undefined
      ? []
      : [content];
  const isEmpty = parts.every((part) => part === "");
  return (
    <li class={`message message-${known.has(role) ? role : "other"}`}>
      <div class="message-head">
        <Text value={role} maxLength={40} isFixed />
        {typeof name === "string" && name !== "" && (
          <span class="muted">
            <Text value={name} maxLength={60} isFixed />
          </span>
        )}
      </div>
      {typeof reasoning === "string" && reasoning !== "" && <Reasoning text={reasoning} />}
      {!isEmpty && parts.map((part, at) => <Part key={at} part={part} isMono={role === "tool"} />)}
      {Array.isArray(calls) && calls.map((call, at) => <Called key={at} call={call} />)}
      {isEmpty && !Array.isArray(calls) && <span class="muted">Empty message.</span>}
    </li>
  );
}

const known = new Set(["system", "user", "assistant", "tool", "developer"]);

function Part({ part, isMono }: { readonly part: unknown; readonly isMono: boolean }): JSX.Element {
  const plain = parsedValue(part);
  if (typeof part === "string")
    return typeof plain === "object" && plain !== null ? (
      <Json value={plain} depth={2} />
    ) : (
      <Text value={part} isBlock isMono={isMono} maxLength={2400} />
    );
  const image = imageIn(part);
  if (image !== undefined) return <ImageView address={image} label="Image in the message" />;
  const { text } = (part ?? {}) as { text?: unknown };
  return typeof text === "string" ? (
    <Text value={text} isBlock isMono={isMono} maxLength={2400} />
  ) : (
    <Json value={part} depth={2} />
  );
}

/** The model's reasoning. */
function Reasoning({ text }: { readonly text: string }): JSX.Element {
  return (
    <div class="message-reasoning">
      <Text value={text} isBlock maxLength={800} />
    </div>
  );
}

function Called({ call }: { readonly call: unknown }): JSX.Element {
  const { function: called } = (call ?? {}) as { function?: { name?: unknown; arguments?: unknown } };
  if (typeof called?.name !== "string") return <Json value={call} depth={1} />;
  return (
    <div class="message-call">
      <span class="mono strong">
        <Text value={called.name} maxLength={120} isFixed />
      </span>
      <Code source={indented(called.arguments)} language="json" label="Arguments" maxLines={40} />
    </div>
  );
}

/** The model's arguments, formatted if they are JSON. */
function indented(text: unknown): string {
  if (typeof text !== "string") return JSON.stringify(text, undefined, 2) ?? "";
  try {
    const value: unknown = JSON.parse(text);
    const short = JSON.stringify(value);
    return short.length < 60 ? short : JSON.stringify(value, undefined, 2);
  } catch {
    return text;
  }
}
