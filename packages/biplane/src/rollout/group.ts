import type { ScoredTrace } from "./score/scorer.ts";
import { meanOf } from "./score/summary.ts";

/** The rollouts of one row, each with its advantage. That of a rollout without a score is null. */
export interface Group {
  readonly rowId: string;
  readonly index: number;
  readonly members: readonly (ScoredTrace & { readonly advantage: number | null })[];
}

/**
 * Groups the repetitions of each row, as GRPO needs them. The advantage is (score − mean) / standard deviation, or 0 if
 * all scores are equal.
 */
export function groupsOf(scored: readonly ScoredTrace[]): Group[] {
  const groups = new Map<number, ScoredTrace[]>();
  for (const each of scored) {
    const members = groups.get(each.trace.index);
    if (members) members.push(each);
    else groups.set(each.trace.index, [each]);
  }
  return Array.from(groups, ([index, members]) => {
    const scores = members.flatMap(({ score }) => score.score ?? []);
    const mean = meanOf(scores);
    const deviation = Math.sqrt(meanOf(scores.map((score) => (score - mean) ** 2)));
    const advantageOf = ({ score: { score } }: ScoredTrace) =>
      score === null ? null : deviation === 0 ? 0 : (score - mean) / deviation;
    const rowId = members[0]?.trace.rowId ?? "";
    const ordered = members.toSorted((a, b) => a.trace.repetition - b.trace.repetition);
    return { rowId, index, members: ordered.map((member) => ({ ...member, advantage: advantageOf(member) })) };
  });
}
