import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { bytes } from "../format.ts";
import { markdownBlocks } from "./markdown-blocks.ts";
import { Pieces } from "./text.tsx";
import { cutText } from "./visible-text.ts";

/**
 * Untrusted Markdown: headings, lists, code and bold text. Everything else stays as it is written, also links and HTML.
 */
export function Markdown({ text, maxLength }: { readonly text: string; readonly maxLength: number }): JSX.Element {
  const [shown, setShown] = useState(maxLength);
  const start = cutText(text, shown);
  const left = text.length - start.length;
  return (
    <div class="markdown" dir="auto">
      {markdownBlocks(start).map(({ kind, depth, lines }, at) =>
        kind === "code" ? (
          <pre key={at}>{Pieces({ text: lines.join("\n"), isBlock: true })}</pre>
        ) : (
          <p key={at} class={`markdown-${kind}`} style={depth > 0 ? { marginInlineStart: `${depth}rem` } : undefined}>
            {inline(lines.join("\n"))}
          </p>
        ),
      )}
      {left > 0 && (
        <button type="button" class="more" onClick={() => setShown(shown * 8)}>
          … {bytes(left)} more
        </button>
      )}
    </div>
  );
}

/** Code and bold text within a block. */
function inline(text: string): ComponentChildren {
  return text.split(/(`[^`\n]{1,200}`|\*\*[^*\n]{1,400}\*\*)/).map((part, at) => {
    if (at % 2 === 0) return Pieces({ text: part, isBlock: true });
    if (part.startsWith("`")) return <code key={at}>{Pieces({ text: part.slice(1, -1), isBlock: false })}</code>;
    return (
      <span key={at} class="strong">
        {Pieces({ text: part.slice(2, -2), isBlock: false })}
      </span>
    );
  });
}
