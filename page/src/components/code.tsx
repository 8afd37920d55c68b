import type { ComponentChildren, JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { plural } from "../format.ts";
import { Pieces } from "./text.tsx";
import { tokenizeLines } from "./tokenize.ts";
import type { Language, Token } from "./tokenize.ts";

/** Source with colours and, if asked for, line numbers. It scrolls sideways by itself; long ones are cut. */
export function Code(props: {
  readonly source: string;
  readonly language?: Language | undefined;
  /** What it is, for who does not see it. */
  readonly label: string;
  readonly isNumbered?: boolean;
  readonly mostLines?: number;
}): JSX.Element {
  const { source, language = "text", label, isNumbered = false, mostLines = 400 } = props;
  const [most, setMost] = useState(mostLines);
  const lines = useMemo(() => tokenizeLines(source.replace(/\n$/, ""), language), [source, language]);
  const shown = lines.slice(0, most);
  return (
    <div class={isNumbered ? "code code-numbered" : "code"} role="region" aria-label={label} tabIndex={0}>
      <pre>
        {shown.map((line, at) => (
          <div key={at} class="code-line">
            <Tokens tokens={line} />
          </div>
        ))}
      </pre>
      {lines.length > most && (
        <button type="button" class="more" onClick={() => setMost(most * 8)}>
          {plural(lines.length - most, "more line")}
        </button>
      )}
    </div>
  );
}

/** One line's tokens. A line that is too long to be read is cut. */
function Tokens({ tokens }: { readonly tokens: readonly Token[] }): ComponentChildren {
  let left = mostCharacters;
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

const mostCharacters = 5000;
