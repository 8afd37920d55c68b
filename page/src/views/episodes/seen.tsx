import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../../components/button.tsx";
import { Json } from "../../components/json.tsx";
import { Text } from "../../components/text.tsx";
import { Board, ObjectTable, boardIn, objectsIn } from "./seen-lists.tsx";
import { Picture, isPicture, pictureIn } from "./picture.tsx";
import { Screen } from "./screen.tsx";

/**
 * What was seen, as what it is: a drawing as a drawing, a list of objects as a table, a board as a board, a picture as a
 * picture; or all of it as a tree.
 */
export function Seen({ value, label }: { readonly value: unknown; readonly label: string }): JSX.Element {
  const [isTree, setTree] = useState(false);
  const plain = plainValue(value);
  const hasTree = typeof plain === "object" && plain !== null;
  return (
    <div class="seen">
      {isTree && hasTree ? (
        <Json value={plain} depth={3} copyLabel="Copy it as JSON" />
      ) : (
        <Shape value={plain} label={label} />
      )}
      {hasTree && (
        <div class="seen-foot">
          <Button kind="quiet" size="small" isPressed={isTree} onClick={() => setTree(!isTree)}>
            As a tree
          </Button>
        </div>
      )}
    </div>
  );
}

/** Text that is JSON is what it says. */
export function plainValue(value: unknown): unknown {
  if (typeof value !== "string" || value.length > longestJson || !/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

const longestJson = 200_000;

function Shape({ value, label }: { readonly value: unknown; readonly label: string }): JSX.Element {
  if (value === null || value === undefined) return <p class="muted">Nothing was seen.</p>;
  if (typeof value === "string") return <Words text={value} label={label} />;
  if (typeof value !== "object") return <span class="mono">{JSON.stringify(value)}</span>;
  const picture = pictureIn(value);
  if (picture !== undefined) return <Picture address={picture} label={label} />;
  if (Array.isArray(value)) return <ListShape list={value} label={label} />;
  const entries = Object.entries(value);
  if (entries.length === 0) return <p class="muted">An empty object.</p>;
  if (entries.length > mostEntries) return <Json value={value} depth={1} />;
  const small = entries.filter(([, inner]) => isSmall(inner));
  const large = entries.filter(([, inner]) => !isSmall(inner));
  return (
    <div class="stack-tight">
      {large.map(([name, inner]) => (
        <Named key={name} name={name}>
          <Shape value={inner} label={`${label}: ${name.slice(0, 60)}`} />
        </Named>
      ))}
      {small.length > 0 && (
        <dl class="seen-facts">
          {small.map(([name, inner]) => (
            <div key={name}>
              <dt>
                <Text value={name} most={80} isFixed />
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

const mostEntries = 40;

function Named({ name, children }: { readonly name: string; readonly children: ComponentChildren }): JSX.Element {
  return (
    <section>
      <h3 class="seen-name">
        <Text value={name} most={80} isFixed />
      </h3>
      {children}
    </section>
  );
}

function ListShape({ list, label }: { readonly list: readonly unknown[]; readonly label: string }): JSX.Element {
  const board = boardIn(list);
  if (board) return <Board board={board} label={label} />;
  if (list.some((each) => pictureIn(each) !== undefined) && list.length <= mostEntries)
    return (
      <div class="stack-tight">
        {list.map((part, at) => (
          <Shape key={at} value={(part as { text?: unknown } | null)?.text ?? part} label={`${label} ${at + 1}`} />
        ))}
      </div>
    );
  const objects = objectsIn(list);
  if (objects) return <ObjectTable objects={objects} label={label} />;
  return isSmall(list) ? <Small value={list} /> : <Json value={list} depth={2} />;
}

function Words({ text, label }: { readonly text: string; readonly label: string }): JSX.Element {
  if (isPicture(text)) return <Picture address={text} label={label} />;
  if (text === "") return <p class="muted">An empty text.</p>;
  return text.trim().includes("\n") && text.length < 60_000 ? (
    <Screen text={text} label={label} isLarge />
  ) : (
    <Text value={text} isBlock most={4000} />
  );
}

/** What fits on a line. */
function isSmall(value: unknown): boolean {
  if (typeof value === "string") return value.length <= 200 && !value.includes("\n");
  if (typeof value !== "object" || value === null) return true;
  return Array.isArray(value) && value.length <= 24 && value.every((each) => typeof each !== "object" && isSmall(each));
}

function Small({ value }: { readonly value: unknown }): JSX.Element {
  if (typeof value === "string") return <Text value={value === "" ? "–" : value} most={200} />;
  return (
    <span class="mono num">
      <Text value={Array.isArray(value) ? value.map(String).join(", ") || "none" : String(value)} most={400} />
    </span>
  );
}
