import type { ComponentChildren, JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { plural } from "../format.ts";
import { Pieces } from "./text.tsx";
import { tokenizeLines } from "./tokenize.ts";
import type { Language, Token } from "./tokenize.ts";

/** Highlighted source with optional line numbers. Long sources are truncated. */
export function Code(props: {
  readonly source: string;
  readonly language?: Language | undefined;
  /** Accessible name. */
  readonly label: string;
  readonly isNumbered?: boolean;
  readonly maxLines?: number;
}): JSX.Element {
  const { source, language = "text", label, isNumbered = false, maxLines = 400 } = props;
  const [maxShown, setMaxShown] = useState(maxLines);
  const lines = useMemo(() => tokenizeLines(source.replace(/\n$/, ""), language), [source, language]);
  const shown = lines.slice(0, maxShown);
  return (
    <div class={isNumbered ? "code code-numbered" : "code"} role="region" aria-label={label} tabIndex={0}>
      <pre>
        {shown.map((line, at) => (
          <div key={at} class="code-line">
            <Tokens tokens={line} />
          </div>
        ))}
      </pre>
      {lines.length > maxShown && (
        <button type="button" class="more" onClick={() => setMaxShown(maxShown * 8)}>
          {plural(lines.length - maxShown, "more line")}
        </button>
      )}
    </div>
  );
}

/** The tokens of one line, truncated after `maxLineLength`. */
function Tokens({ tokens }: { readonly tokens: readonly Token[] }): ComponentChildren {
  let left = maxLineLength;
  return tokens.map(({ kind, text }, at) => {
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
