import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { plural } from "../format.ts";
import { cutText, visiblePieces } from "./visible-text.ts";

/**
 * Untrusted text from tools, models and agents. Invisible and direction-changing characters become visible marks, and
 * long text is truncated. Use it for every string that this page did not write.
 */
export function Text(props: {
  readonly value: string;
  /** Preserves line breaks. */
  readonly isBlock?: boolean;
  readonly isMono?: boolean;
  /** Further classes, for the colour and the font. */
  readonly class?: string;
  /** Maximum characters shown at first. A button shows more, unless `isFixed`. */
  readonly maxLength?: number;
  readonly isFixed?: boolean;
}): JSX.Element {
  const { value, isBlock = false, isMono = false, isFixed = false, class: own = "" } = props;
  const step = props.maxLength ?? (isBlock ? 8000 : 400);
  const [shown, setShown] = useState(step);
  const start = cutText(value, shown);
  const left = value.length - start.length;
  return (
    <span class={`text ${isBlock ? "text-block" : ""} ${isMono ? "mono" : ""} ${own}`} dir="auto">
      {Pieces({ text: start, isBlock })}
      {left > 0 &&
        (isFixed ? (
          "…"
        ) : (
          <button type="button" class="more" onClick={() => setShown(shown * 8)}>
            … {plural(left, "more character")}
          </button>
        ))}
    </span>
  );
}

/** The marked text without truncation or wrapper. */
export function Pieces({ text, isBlock }: { readonly text: string; readonly isBlock: boolean }): ComponentChildren {
  return visiblePieces(text, isBlock).map((piece, at) =>
    piece.kind === "text" ? (
      piece.text
    ) : (
      <span key={at} class={piece.kind} title={piece.title}>
        {piece.text}
      </span>
    ),
  );
}
