import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { bytes } from "../format.ts";
import { cutText, visiblePieces } from "./visible-text.ts";

/**
 * Text from anywhere: tools, models, agents. What would not be seen, or would change how the rest looks, is shown as a
 * small sign; what is long is cut. Use it for every string that this page did not write itself.
 */
export function Text(props: {
  readonly value: string;
  /** Keeps lines, as `pre` does. */
  readonly isBlock?: boolean;
  readonly isMono?: boolean;
  /** Characters before it is cut; a button shows more, unless `isFixed`. */
  readonly most?: number;
  readonly isFixed?: boolean;
}): JSX.Element {
  const { value, isBlock = false, isMono = false, isFixed = false } = props;
  const step = props.most ?? (isBlock ? 8000 : 400);
  const [shown, setShown] = useState(step);
  const start = cutText(value, shown);
  const left = value.length - start.length;
  return (
    <span class={`text ${isBlock ? "text-block" : ""} ${isMono ? "mono" : ""}`} dir="auto">
      {Pieces({ text: start, isBlock })}
      {left > 0 &&
        (isFixed ? (
          "…"
        ) : (
          <button type="button" class="more" onClick={() => setShown(shown * 8)}>
            … {bytes(left)} more
          </button>
        ))}
    </span>
  );
}

/** The pieces alone, for those who cut and frame text themselves. */
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
