import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import type { TraceDetail } from "../../../../packages/biplane/src/admin/runs/trace-api.ts";
import { plural } from "../../format.ts";
import { TraceEnding } from "./trace-ending.tsx";
import { TranscriptTurn } from "./transcript-turn.tsx";
import type { Turn } from "./turns.ts";
import { useHighlights } from "./use-highlights.ts";
import { useStepScroll } from "./use-step-scroll.ts";

/** The conversation as one scrollable text. The slider scrolls it, and scrolling moves the slider. */
export function Transcript(props: {
  readonly trace: TraceDetail;
  readonly turns: readonly Turn[];
  readonly at: number;
  readonly onMove: (at: number) => void;
  /** A text to mark. */
  readonly wanted: string;
}): JSX.Element {
  const { trace, turns, at, onMove, wanted } = props;
  const box = useRef<HTMLDivElement>(null);
  const { from, to } = useStepScroll(box, { turns, at, onMove });
  useHighlights(box, wanted, [from, to, trace]);
  return (
    <div ref={box} class="transcript" role="region" aria-label="Transcript" tabIndex={0}>
      {from > 0 && <p class="muted transcript-more">{plural(from, "earlier turn")}</p>}
      <ol class="turns">
        {turns.slice(from, to).map((turn) => (
          <TranscriptTurn
            key={`${turn.kind} ${turn.position}`}
            turn={turn}
            isCurrent={turn.position === at && turn.kind !== "rest"}
            annotations={countAt(trace, turn)}
            onMove={onMove}
          />
        ))}
      </ol>
      {to < turns.length && <p class="muted transcript-more">{plural(turns.length - to, "later turn")}</p>}
      {to >= turns.length && !trace.isRunning && <TraceEnding trace={trace} />}
      {to >= turns.length && trace.isRunning && (
        <p class="muted transcript-more" role="status">
          The rollout is being played. New steps appear here.
        </p>
      )}
    </div>
  );
}

function countAt({ annotations }: TraceDetail, { position, kind }: Turn): number {
  return kind === "rest" ? 0 : annotations.filter(({ step }) => step === position).length;
}
