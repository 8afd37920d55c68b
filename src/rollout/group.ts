import type { ScoredTrace } from "./score/scorer.ts";
import { meanOf } from "./score/summary.ts";

/** The rollouts of one row, from one beginning, each with how much better it was than the others. */
export interface Group {
  readonly rowId: string;
  readonly index: number;
  readonly members: readonly (ScoredTrace & { readonly advantage: number })[];
}

/**
 * Puts the repetitions of each row together, as GRPO wants them. An advantage is the score less the group's mean, in
 * standard deviations; in a group in which all did the same it is 0.
 */
export function groupsOf(scored: readonly ScoredTrace[]): Group[] {
  const groups = new Map<number, ScoredTrace[]>();
  for (const each of scored) {
    const members = groups.get(each.trace.index);
    if (members) members.push(each);
    else groups.set(each.trace.index, [each]);
  }
  return Array.from(groups, ([index, members]) => {
    const scores = members.map(({ score }) => score.score);
    const mean = meanOf(scores);
    const deviation = Math.sqrt(meanOf(scores.map((score) => (score - mean) ** 2)));
    const advantageOf = ({ score }: ScoredTrace) => (deviation === 0 ? 0 : (score.score - mean) / deviation);
    const rowId = members[0]?.trace.rowId ?? "";
    const ordered = members.toSorted((a, b) => a.trace.repetition - b.trace.repetition);
    return { rowId, index, members: ordered.map((member) => ({ ...member, advantage: advantageOf(member) })) };
  });
}
