import type { JSX } from "preact";
import type { TraceDetail } from "../../../../packages/biplane/src/admin/runs/trace-api.ts";
import { isRecord } from "../../../../packages/core/src/is-record.ts";
import { Code } from "../../components/code.tsx";
import { Json } from "../../components/json.tsx";
import { Text } from "../../components/text.tsx";
import { ImageView, imageIn } from "../episodes/image-view.tsx";
import { hasColours } from "../episodes/ansi.ts";
import { Screen } from "../episodes/screen.tsx";
import { ValueView, parsedValue } from "../episodes/value-view.tsx";
import { embeddedValue } from "./embedded-value.ts";

type Message = TraceDetail["messages"][number];

/** A chat message, styled by role. */
export function MessageItem(props: { readonly message: Message; readonly label: string }): JSX.Element {
  const { message, label } = props;
  const { role, content, tool_calls: calls, reasoning_content: reasoning, name } = message;
  const parts: readonly unknown[] = Array.isArray(content)
    ? content
    : content === null || content === undefined
      ? []
      : [content];
  const isEmpty = parts.every((part) => part === "");
  const isObservation = role === "user" && parts.length === 1 && isRecord(parsedValue(parts[0]));
  return (
    <li class={`message message-${known.has(role) ? role : "other"}`}>
      <div class="message-head">
        <Text value={role} maxLength={40} isFixed />
        {typeof name === "string" && name !== "" && <Text value={name} maxLength={60} isFixed class="muted" />}
        {isObservation && <span class="message-kind">observation of the environment</span>}
      </div>
      {typeof reasoning === "string" && reasoning !== "" && <Reasoning text={reasoning} />}
      {!isEmpty &&
        parts.map((part, at) => (
          <Part key={at} part={part} isMono={role === "tool"} label={`${label}, part ${at + 1}`} />
        ))}
      {Array.isArray(calls) &&
        calls.map((call, at) => <Called key={at} call={call} label={`${label}, arguments ${at + 1}`} />)}
      {isEmpty && !Array.isArray(calls) && <span class="muted">Empty message.</span>}
    </li>
  );
}

const known = new Set(["system", "user", "assistant", "tool", "developer"]);

interface PartProps {
  readonly part: unknown;
  readonly isMono: boolean;
  readonly label: string;
}

function Part({ part, isMono, label }: PartProps): JSX.Element {
  const plain = parsedValue(part);
  if (typeof part === "string")
    return typeof plain === "object" && plain !== null ? (
      <ValueView value={plain} label={label} />
    ) : (
      <Words text={part} isMono={isMono} label={label} />
    );
  const image = imageIn(part);
  if (image !== undefined) return <ImageView address={image} label="Image in the message" />;
  const { text } = (part ?? {}) as { text?: unknown };
  return typeof text === "string" ? (
    <Words text={text} isMono={isMono} label={label} />
  ) : (
    <Json value={part} depth={2} />
  );
}

/** Text of a message. JSON at its end is shown as a value, and terminal colours are drawn. */
function Words({ text, isMono, label }: Omit<PartProps, "part"> & { readonly text: string }): JSX.Element {
  const embedded = embeddedValue(text);
  if (embedded)
    return (
      <>
        <Text value={embedded.lead} isBlock isMono={isMono} maxLength={2400} />
        <ValueView value={embedded.value} label={label} />
      </>
    );
  return hasColours(text) ? (
    <Screen text={text} label={label} />
  ) : (
    <Text value={text} isBlock isMono={isMono} maxLength={2400} />
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

function Called({ call, label }: { readonly call: unknown; readonly label: string }): JSX.Element {
  const { function: called } = (call ?? {}) as { function?: { name?: unknown; arguments?: unknown } };
  if (typeof called?.name !== "string") return <Json value={call} depth={1} />;
  const spoken = spokenIn(called.arguments);
  return (
    <div class="message-call">
      <Text value={called.name} maxLength={120} isFixed isMono class="strong" />
      {spoken === undefined ? (
        <Code source={indented(called.arguments)} language="json" label={label} maxLines={40} />
      ) : (
        <div>
          <span class="muted">
            <Text value={spoken.name} maxLength={60} isFixed />:
          </span>{" "}
          <Text value={spoken.text} isBlock maxLength={2400} />
        </div>
      )}
    </div>
  );
}

/** Arguments that are one sentence, such as a message to a customer. They are read as text. */
function spokenIn(json: unknown): { readonly name: string; readonly text: string } | undefined {
  const value = parsedValue(json);
  const [only, ...others] = isRecord(value) ? Object.entries(value) : [];
  if (only === undefined || others.length > 0) return undefined;
  const [name, text] = only;
  return typeof text === "string" && text.trim().includes(" ") ? { name, text } : undefined;
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
