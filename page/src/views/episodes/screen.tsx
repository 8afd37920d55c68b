import { Fragment } from "preact";
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { Pieces } from "../../components/text.tsx";
import { cutText } from "../../components/visible-text.ts";
import { bytes } from "../../format.ts";
import { drawnPieces, withoutColours } from "./ansi.ts";
import { screenTextOf } from "./screen-text.ts";
import type { Cell } from "./screen-text.ts";

/** Text as in a terminal, monospaced and with colours. Small texts are enlarged. */
export function Screen(props: {
  readonly text: string;
  /** Accessible name. */
  readonly label: string;
  readonly isLarge?: boolean;
}): JSX.Element {
  const { label, isLarge = false } = props;
  const { caption, text, rows, legend } = useMemo(() => screenTextOf(props.text), [props.text]);
  const [maxLength, setMaxLength] = useState(firstMaxLength);
  const shown = cutText(text, maxLength);
  const pieces = useMemo(() => drawnPieces(shown), [shown]);
  const left = text.length - shown.length;
  return (
    <div class={`screen screen-${isLarge ? sizeOf(shown) : "usual"}`} role="region" aria-label={label} tabIndex={0}>
      <div class="screen-box">
        {caption !== undefined && (
          <div class="screen-caption">
            <Pieces text={caption} isBlock={false} />
          </div>
        )}
        {rows ? (
          <CellRows rows={rows} />
        ) : (
          <pre dir="ltr">
            {pieces.map((piece, at) => (
              <span key={at} class={piece.class}>
                <Pieces text={piece.text} isBlock />
              </span>
            ))}
          </pre>
        )}
      </div>
      {legend.length > 0 && (
        <ul class="screen-legend">
          {legend.map(([cell, meaning]) => (
            <li key={meaning}>
              <span class={`cell ${cell.class}`}>{cell.text}</span> {meaning}
            </li>
          ))}
        </ul>
      )}
      {left > 0 && !rows && (
        <button type="button" class="more" onClick={() => setMaxLength(maxLength * 8)}>
          … {bytes(left)} more
        </button>
      )}
    </div>
  );
}

/** A board with square cells. The line ends are for those who copy it. */
function CellRows({ rows }: { readonly rows: readonly (readonly Cell[])[] }): JSX.Element {
  return (
    <pre class="screen-cells" dir="ltr" style={{ "--columns": rows[0]?.length ?? 1 }}>
      {rows.map((cells, at) => (
        <Fragment key={at}>
          <span class="screen-row">
            {cells.map((cell, column) => (
              <Fragment key={column}>
                {column > 0 && " "}
                <span class={`cell ${cell.class}`}>
                  {cell.text}
                  {cell.about !== undefined && <span class="hidden"> ({cell.about})</span>}
                </span>
              </Fragment>
            ))}
          </span>
          {at < rows.length - 1 && "\n"}
        </Fragment>
      ))}
    </pre>
  );
}

const firstMaxLength = 12_000;

/** The largest font size at which all of the text is visible. Long lines are prose, which wraps. */
function sizeOf(text: string): "huge" | "large" | "usual" | "prose" {
  const lines = withoutColours(text).split("\n");
  const widest = lines.reduce((max, line) => Math.max(max, line.length), 0);
  if (widest <= 14 && lines.length <= 12) return "huge";
  if (widest > 80) return "prose";
  return widest <= 32 && lines.length <= 18 ? "large" : "usual";
}
