/** The candidate most similar to a misspelled name, if it is similar enough to suggest. */
function nearestSpelling(name: string, candidates: Iterable<string>): string | undefined {
  const folded = fold(name);
  let best: string | undefined;
  let bestDistance = Math.floor((name.length + 1) / 2);
  for (const candidate of candidates) {
    const distance = editDistance(folded, fold(candidate), bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** A suggestion to append to an error message, or an empty string. */
export function spellingHint(name: string, candidates: Iterable<string>, mark = ""): string {
  const nearest = nearestSpelling(name, candidates);
  return nearest === undefined ? "" : ` (did you mean ${mark}${nearest}?)`;
}

/** Ignores case and underscores, the most common mistakes. */
function fold(name: string): string {
  return name.replaceAll("_", "").toLowerCase();
}

/** Levenshtein distance. Stops early and returns at least `bound` if it cannot be smaller. */
function editDistance(left: string, right: string, bound: number): number {
  if (left === right) return 0;
  if (Math.abs(left.length - right.length) >= bound || left.length > maxNameLength) return bound;
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const substitution = (previous[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1);
      current.push(Math.min(substitution, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    if (Math.min(...current) >= bound) return bound;
    previous = current;
  }
  return previous[right.length] ?? bound;
}

const maxNameLength = 100;
