import type { ComponentChildren, JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { plural } from "../format.ts";
import { Pieces } from "./text.tsx";
import { tokenize, tokenizeLines } from "./tokenize.ts";
import type { Language, Token } from "./tokenize.ts";
import { cutText } from "./visible-text.ts";

/** Highlighted source with optional line numbers. Long sources are truncated. */
export function Code(props: {
  readonly source: string;
  readonly language?: Language | undefined;
  /** Accessible name. */
  readonly label: string;
  readonly isNumbered?: boolean;
  readonly maxLines?: number;
  /** Wraps lines and truncates nothing. */
  readonly isWhole?: boolean;
}): JSX.Element {
  const { source, language = "text", label, isNumbered = false, maxLines = 400, isWhole = false } = props;
  const [maxShown, setMaxShown] = useState(maxLines);
  const lines = useMemo(() => tokenizeLines(source.replace(/\n$/, ""), language), [source, language]);
  const shown = isWhole ? lines : lines.slice(0, maxShown);
  return (
    <div
      class={`code ${isNumbered ? "code-numbered" : ""} ${isWhole ? "code-whole" : ""}`}
      role="region"
      aria-label={label}
      tabIndex={0}
    >
      <pre>
        {shown.map((line, at) => (
          <div key={at} class="code-line" style={isWhole ? indentOf(line[0]?.text ?? "") : undefined}>
            <Tokens tokens={line} maxLength={isWhole ? Infinity : maxLineLength} />
          </div>
        ))}
      </pre>
      {lines.length > shown.length && (
        <button type="button" class="more" onClick={() => setMaxShown(maxShown * 8)}>
          {plural(lines.length - shown.length, "more line")}
        </button>
      )}
    </div>
  );
}

/** Wrapped lines continue below the text, not left of it: the indentation of some languages has a meaning. */
export function indentOf(line: string): { "--indent": number } {
  return { "--indent": line.length - line.trimStart().length };
}

/** JSON within a line of monospaced text, cut after `maxLength` characters. */
export function InlineJson(props: { readonly text: string; readonly maxLength: number }): JSX.Element {
  const { text, maxLength } = props;
  const start = cutText(text, maxLength);
  return (
    <span class="text" dir="ltr">
      <Tokens tokens={tokenize(start, "json")} maxLength={Infinity} />
      {start.length < text.length && "…"}
    </span>
  );
}

/** The tokens of one line, truncated after `maxLength` characters. */
function Tokens(props: { readonly tokens: readonly Token[]; readonly maxLength: number }): ComponentChildren {
  let left = props.maxLength;
  return props.tokens.map(({ kind, text }, at) => {
    if (left <= 0) return null;
    const start = text.length > left ? `${text.slice(0, left)}…` : text;
    left -= text.length;
    const inner = <Pieces text={start} isBlock />;
    return kind === "plain" ? (
      <span key={at}>{inner}</span>
    ) : (
      <span key={at} class={`token-${kind}`}>
        {inner}
      </span>
    );
  });
}

const maxLineLength = 5000;
