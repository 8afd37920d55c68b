import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { OpenedTrace } from "../../../../src/desk/contract.ts";
import { Code } from "../../components/code.tsx";
import { Json } from "../../components/json.tsx";
import { Text } from "../../components/text.tsx";
import { plural } from "../../format.ts";
import { Picture, pictureIn } from "../episodes/picture.tsx";
import { plainValue } from "../episodes/seen.tsx";

type Message = OpenedTrace["messages"][number];

/** What was said, by whom: the system, the user, the agent and its tools are set apart. */
export function Messages({ messages }: { readonly messages: readonly Message[] }): JSX.Element {
  const [most, setMost] = useState(30);
  if (messages.length === 0) return <p class="muted">Nothing was said.</p>;
  return (
    <ol class="messages" aria-label="Messages">
      {messages.slice(0, most).map((message, at) => (
        <Said key={at} message={message} />
      ))}
      {messages.length > most && (
        <li>
          <button type="button" class="more" onClick={() => setMost(most * 4)}>
            {plural(messages.length - most, "more message")}
          </button>
        </li>
      )}
    </ol>
  );
}

function Said({ message }: { readonly message: Message }): JSX.Element {
  const { role, content, tool_calls: calls, reasoning_content: thought, name } = message;
  const parts: readonly unknown[] = Array.isArray(content)
    ? content
    : content === null || content === undefined
      ? []
      : [content];
  const isSilent = parts.every((part) => part === "");
  return (
    <li class={`message message-${known.has(role) ? role : "other"}`}>
      <div class="message-head">
        <Text value={role} most={40} isFixed />
        {typeof name === "string" && name !== "" && (
          <span class="muted">
            <Text value={name} most={60} isFixed />
          </span>
        )}
      </div>
      {typeof thought === "string" && thought !== "" && <Thought text={thought} />}
      {!isSilent && parts.map((part, at) => <Part key={at} part={part} isMono={role === "tool"} />)}
      {Array.isArray(calls) && calls.map((call, at) => <Called key={at} call={call} />)}
      {isSilent && !Array.isArray(calls) && <span class="muted">Nothing was said.</span>}
    </li>
  );
}

const known = new Set(["system", "user", "assistant", "tool", "developer"]);

function Part({ part, isMono }: { readonly part: unknown; readonly isMono: boolean }): JSX.Element {
  const plain = plainValue(part);
  if (typeof part === "string")
    return typeof plain === "object" && plain !== null ? (
      <Json value={plain} depth={2} />
    ) : (
      <Text value={part} isBlock isMono={isMono} most={2400} />
    );
  const picture = pictureIn(part);
  if (picture !== undefined) return <Picture address={picture} label="A picture in the message" />;
  const { text } = (part ?? {}) as { text?: unknown };
  return typeof text === "string" ? (
    <Text value={text} isBlock isMono={isMono} most={2400} />
  ) : (
    <Json value={part} depth={2} />
  );
}

/** What a model thought before it spoke. */
function Thought({ text }: { readonly text: string }): JSX.Element {
  return (
    <div class="message-thought">
      <Text value={text} isBlock most={800} />
    </div>
  );
}

function Called({ call }: { readonly call: unknown }): JSX.Element {
  const { function: called } = (call ?? {}) as { function?: { name?: unknown; arguments?: unknown } };
  if (typeof called?.name !== "string") return <Json value={call} depth={1} />;
  return (
    <div class="message-call">
      <span class="mono strong">
        <Text value={called.name} most={120} isFixed />
      </span>
      <Code source={indented(called.arguments)} language="json" label="Arguments" mostLines={40} />
    </div>
  );
}

/** What the model wrote, laid out where it is JSON. */
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
