/** "is not a known key; did you mean burst?", or the list of known names if none is close. */
export function unknownName(name: string, known: readonly string[], what = "a known key"): string {
  const near = nearest(name, known);
  if (near !== undefined) return `is not ${what}; did you mean ${near}?`;
  const shown = known.slice(0, maxShown).join(", ");
  return `is not ${what}; there ${known.length === 1 ? "is" : "are"} ${shown}${known.length > maxShown ? " …" : ""}`;
}

const maxShown = 20;

/** The closest known name, if one is close enough to suggest. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  if (name.length > maxNameLength) return undefined;
  const written = fold(name);
  let best: string | undefined;
  let minDistance = Math.max(1.75, Math.ceil(written.length / 2) + 0.25);
  for (const candidate of known) {
    const looksLike = fold(candidate);
    if (!isBeginning(written, looksLike) && Math.abs(written.length - looksLike.length) >= minDistance) continue;
    // At equal distance, prefer the name with the same first letter.
    const distance = isBeginning(written, looksLike)
      ? 1
      : editDistance(written, looksLike) + (looksLike[0] === written[0] ? 0 : 0.5);
    if (distance < minDistance) {
      best = candidate;
      minDistance = distance;
    }
  }
  return best;
}

const maxNameLength = 100;

/** Case, underscores and hyphens are the most common mistakes, so they are ignored. */
function fold(name: string): string {
  return name.replaceAll(/[_-]/g, "").toLowerCase();
}

/** `mon` for `monday`, or `desc` for `description`. */
function isBeginning(one: string, other: string): boolean {
  return Math.min(one.length, other.length) >= 3 && (one.startsWith(other) || other.startsWith(one)) && one !== other;
}

/** Damerau–Levenshtein distance. */
function editDistance(left: string, right: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const isSame = left[row - 1] === right[column - 1];
      const isSwapped = row > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      const costs = [cell(last, column) + 1, cell(current, column - 1) + 1, cell(last, column - 1) + (isSame ? 0 : 1)];
      if (isSwapped) costs.push(cell(beforeLast, column - 2) + 1);
      current.push(Math.min(...costs));
    }
    [beforeLast, last] = [last, current];
  }
  return cell(last, right.length);
}

function cell(row: readonly number[], column: number): number {
  return row[column] ?? Infinity;
}
