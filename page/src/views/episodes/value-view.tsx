import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { isRecord } from "../../../../packages/core/src/is-record.ts";
import { Button } from "../../components/button.tsx";
import { Icon } from "../../components/icon.tsx";
import { Json } from "../../components/json.tsx";
import { isMarkdown } from "../../components/markdown-blocks.ts";
import { Markdown } from "../../components/markdown.tsx";
import { Text } from "../../components/text.tsx";
import { Chat, chatIn } from "./chat.tsx";
import { Board, ObjectTable, boardIn, objectsIn } from "./value-lists.tsx";
import { ImageView, isImageData, imageIn } from "./image-view.tsx";
import { hasColours } from "./ansi.ts";
import { Screen } from "./screen.tsx";

/**
 * Renders an observation or result by its shape: text art, a table of objects, a board or an image. A button shows it as
 * a JSON tree.
 */
export function ValueView({ value, label }: { readonly value: unknown; readonly label: string }): JSX.Element {
  const [isTree, setTree] = useState(false);
  const parsed = parsedValue(value);
  const hasTree = typeof parsed === "object" && parsed !== null;
  return (
    <div class="value-view">
      {isTree && hasTree ? (
        <Json value={parsed} depth={3} copyLabel="Copy as JSON" />
      ) : (
        <Shape value={parsed} label={label} />
      )}
      {hasTree && (
        <div class="value-foot">
          <Button kind="quiet" size="small" isPressed={isTree} onClick={() => setTree(!isTree)}>
            JSON tree
          </Button>
        </div>
      )}
    </div>
  );
}

/** Parses text that is JSON. */
export function parsedValue(value: unknown): unknown {
  if (typeof value !== "string" || value.length > maxJsonLength || !/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

const maxJsonLength = 200_000;

interface ShapeProps {
  readonly value: unknown;
  readonly label: string;
  /** True for a part of an object, of which long texts are cut sooner. */
  readonly isInner?: boolean;
}

function Shape({ value, label, isInner = false }: ShapeProps): JSX.Element {
  if (value === null || value === undefined) return <p class="muted">No value.</p>;
  if (typeof value === "string") return <TextValue text={value} label={label} maxProse={isInner ? 700 : 12_000} />;
  if (typeof value !== "object") return <span class="mono">{JSON.stringify(value)}</span>;
  const image = imageIn(value);
  if (image !== undefined) return <ImageView address={image} label={label} />;
  if (Array.isArray(value)) return <ListShape list={value} label={label} />;
  const entries = Object.entries(value);
  if (entries.length === 0) return <p class="muted">Empty object.</p>;
  if (entries.length > maxEntries) return <Json value={value} depth={1} />;
  const small = entries.filter(([, inner]) => isSmall(inner));
  const hasChat = entries.some(([, inner]) => isChat(inner));
  const large = conversationLast(entries.filter(([, inner]) => !isSmall(inner)));
  return (
    <div class="stack-tight">
      {large.map(([name, inner]) => (
        <Named key={name} name={name} isFolded={hasChat && !isChat(inner)}>
          <Shape value={inner} label={`${label}: ${name.slice(0, 60)}`} isInner />
        </Named>
      ))}
      {small.length > 0 && (
        <dl class="value-facts">
          {small.map(([name, inner]) => (
            <div key={name}>
              <dt>
                <Text value={name} maxLength={80} isFixed />
              </dt>
              <dd>
                <Small value={inner} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  );
}

const maxEntries = 40;

/** Conversations last, because other texts were there before them, and without the texts that they repeat. */
function conversationLast(entries: readonly (readonly [string, unknown])[]): readonly (readonly [string, unknown])[] {
  const chats = entries.map(([, value]) => (Array.isArray(value) ? chatIn(value) : undefined));
  const said = new Set(chats.flatMap((chat) => chat?.map(({ text }) => text.trim()) ?? []));
  const others = entries.filter(
    ([, value], at) => chats[at] === undefined && !(typeof value === "string" && said.has(value.trim())),
  );
  return [...others, ...entries.filter((_, at) => chats[at] !== undefined)];
}

function isChat(value: unknown): boolean {
  return Array.isArray(value) && chatIn(value) !== undefined;
}

interface NamedProps {
  readonly name: string;
  /** Long texts beside a conversation are closed, so that the conversation and the answer to it are close together. */
  readonly isFolded: boolean;
  readonly children: ComponentChildren;
}

function Named({ name, isFolded, children }: NamedProps): JSX.Element {
  if (isFolded)
    return (
      <details class="value-folded">
        <summary class="value-name">
          <Icon name="right" size={12} /> <Text value={titleOf(name)} maxLength={80} isFixed />
        </summary>
        {children}
      </details>
    );
  return (
    <section>
      <h3 class="value-name">
        <Text value={titleOf(name)} maxLength={80} isFixed />
      </h3>
      {children}
    </section>
  );
}

/** Keys that are words are written like other headings. */
function titleOf(name: string): string {
  return /^[a-z]+$/.test(name) ? name.slice(0, 1).toUpperCase() + name.slice(1) : name;
}

function ListShape({ list, label }: { readonly list: readonly unknown[]; readonly label: string }): JSX.Element {
  const board = boardIn(list);
  if (board) return <Board board={board} label={label} />;
  if (list.some((each) => imageIn(each) !== undefined) && list.length <= maxEntries)
    return (
      <div class="stack-tight">
        {list.map((part, at) => (
          <Shape key={at} value={(part as { text?: unknown } | null)?.text ?? part} label={`${label} ${at + 1}`} />
        ))}
      </div>
    );
  const chat = chatIn(list);
  if (chat) return <Chat messages={chat} label={label} />;
  const objects = objectsIn(list);
  if (objects) return <ObjectTable objects={objects} label={label} />;
  return isSmall(list) ? <Small value={list} /> : <Json value={list} depth={2} />;
}

function TextValue(props: { readonly text: string; readonly label: string; readonly maxProse: number }): JSX.Element {
  const { text, label, maxProse } = props;
  if (isImageData(text)) return <ImageView address={text} label={label} />;
  if (text === "") return <p class="muted">Empty text.</p>;
  if (isProse(text))
    return isMarkdown(text) ? (
      <Markdown text={text} maxLength={maxProse} />
    ) : (
      <Text value={text} isBlock maxLength={maxProse} />
    );
  return (text.trim().includes("\n") || hasColours(text)) && text.length < 60_000 ? (
    <Screen text={text} label={label} isLarge />
  ) : (
    <Text value={text} isBlock maxLength={4000} />
  );
}

/** Sentences, which need no fixed width. */
export function isProse(text: string): boolean {
  if (hasColours(text)) return false;
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.some((line) => line.length > 60) && lines.some((line) => /[a-z,;] [a-z]+ [a-z]/i.test(line));
}

/** True for values that fit on one line. */
function isSmall(value: unknown): boolean {
  if (typeof value === "string") return value.length <= 200 && !value.includes("\n") && !hasColours(value);
  if (typeof value !== "object" || value === null || Object.keys(value).length === 0) return true;
  return Array.isArray(value) && value.length <= 24 && value.every((each) => typeof each !== "object" && isSmall(each));
}

function Small({ value }: { readonly value: unknown }): JSX.Element {
  if (typeof value === "string") return <Text value={value === "" ? "–" : value} maxLength={200} />;
  if (isRecord(value)) return <span class="muted">empty</span>;
  return (
    <Text
      value={Array.isArray(value) ? value.map(String).join(", ") || "none" : String(value)}
      maxLength={400}
      isMono
      class="num"
    />
  );
}
