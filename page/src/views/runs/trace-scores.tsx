import type { JSX } from "preact";
import type { TraceScore } from "../../../../packages/biplane/src/admin/runs/trace-api.ts";
import { Card } from "../../components/page.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { precise } from "../../format.ts";

/** What judges and other scorers said about a rollout, with their reasons. Nothing, if none did. */
export function TraceScores({ scores }: { readonly scores: readonly TraceScore[] }): JSX.Element | null {
  if (scores.length === 0) return null;
  return (
    <Card title="Scores" class="trace-scores-card">
      <ul class="trace-scores" aria-label="Scores">
        {scores.map((score) => (
          <li key={score.name}>
            <ScoreItem score={score} />
          </li>
        ))}
      </ul>
    </Card>
  );
}

function ScoreItem({
  score: { name, scorer, score, reason, parts, scoredAt },
}: {
  readonly score: TraceScore;
}): JSX.Element {
  return (
    <>
      <div class="trace-score-head">
        <Text value={name} maxLength={80} isFixed class="strong" />
        {scorer !== name && (
          <span class="muted small ellipsis">
            <Text value={scorer} maxLength={80} isFixed />
          </span>
        )}
        <span class="grow" />
        <span class="muted small">
          <Time at={scoredAt} />
        </span>
        <b class="num">{score === null ? <span class="muted">none</span> : precise(score)}</b>
      </div>
      {reason !== null && reason !== "" && <Text value={reason} isBlock maxLength={2000} />}
      {parts.map((part) => (
        <div key={part.name} class="trace-score-part">
          <div class="trace-score-head">
            <span class="grow">
              <Text value={part.name} maxLength={80} isFixed />
            </span>
            <span class="num">{precise(part.score)}</span>
          </div>
          {part.reason !== "" && <Text value={part.reason} isBlock maxLength={1000} class="muted" />}
        </div>
      ))}
    </>
  );
}
