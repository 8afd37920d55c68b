import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { Pieces } from "../../components/text.tsx";
import { cutText } from "../../components/visible-text.ts";
import { bytes } from "../../format.ts";
import { drawnPieces, withoutColours } from "./ansi.ts";

/** Text as a terminal shows it: each character its place, in colour. Small drawings are shown large. */
export function Screen(props: {
  readonly text: string;
  /** What it is, for who does not see it. */
  readonly label: string;
  readonly isLarge?: boolean;
}): JSX.Element {
  const { label, isLarge = false } = props;
  // Blank lines around a drawing would put it off the middle.
  const text = props.text.replace(/^(?:[ \t]*\n)+|\s+$/g, "");
  const [most, setMost] = useState(firstMost);
  const shown = cutText(text, most);
  const pieces = useMemo(() => drawnPieces(shown), [shown]);
  const left = text.length - shown.length;
  return (
    <div class={`screen screen-${isLarge ? sizeOf(shown) : "usual"}`} role="region" aria-label={label} tabIndex={0}>
      <pre dir="ltr">
        {pieces.map((piece, at) => (
          <span key={at} class={piece.class}>
            <Pieces text={piece.text} isBlock />
          </span>
        ))}
      </pre>
      {left > 0 && (
        <button type="button" class="more" onClick={() => setMost(most * 8)}>
          … {bytes(left)} more
        </button>
      )}
    </div>
  );
}

const firstMost = 12_000;

/** How large the letters may be for all of it to be seen at once. */
function sizeOf(text: string): "huge" | "large" | "usual" {
  const lines = withoutColours(text).split("\n");
  const widest = lines.reduce((most, line) => Math.max(most, line.length), 0);
  if (widest <= 14 && lines.length <= 12) return "huge";
  return widest <= 32 && lines.length <= 18 ? "large" : "usual";
}
