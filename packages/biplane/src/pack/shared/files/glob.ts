import { BiplaneError } from "@biplane/core";

/** Tests the names of a relative path. */
export type PathMatcher = (names: readonly string[]) => boolean;

/**
 * Compiles a glob pattern with `*`, `?`, `[a-z]`, `{a,b}` and `**`. Matching takes linear time. With `anywhere`, a
 * pattern without a slash matches in every folder.
 */
export function glob(pattern: string, options: { anywhere?: boolean } = {}): PathMatcher {
  if (pattern.length > maxPatternLength) throw invalid(`is longer than ${maxPatternLength} characters`);
  const choices = expandBraces(pattern).map((choice) => {
    const steps = choice.split("/").filter((step) => step !== "" && step !== ".");
    return options.anywhere && steps.length === 1 ? ["**", ...steps] : steps;
  });
  const compiled = choices.map((steps) => steps.map((step) => (step === "**" ? undefined : compileStep(step))));
  return (names) => compiled.some((steps) => matches(steps, names));
}

const maxPatternLength = 500;
const maxChoices = 64;

type Step = (name: string) => boolean;
type Token = (character: string) => boolean;

function matches(steps: readonly (Step | undefined)[], names: readonly string[]): boolean {
  // reached[i]: the first i steps match the names so far.
  let reached = open([true, ...steps.map(() => false)], steps);
  for (const name of names) {
    const next = steps.map(() => false);
    next.push(false);
    for (const [index, step] of steps.entries()) {
      if (!reached[index]) continue;
      if (!step) next[index] = true;
      else if (step(name)) next[index + 1] = true;
    }
    reached = open(next, steps);
  }
  return reached.at(-1) ?? false;
}

/** `**` also matches zero folders. */
function open(reached: boolean[], steps: readonly (Step | undefined)[]): boolean[] {
  for (const [index, step] of steps.entries()) if (reached[index] && !step) reached[index + 1] = true;
  return reached;
}

function compileStep(step: string): Step {
  const tokens = tokensOf(step);
  return (name) => {
    const characters = Array.from(name);
    let [at, token, star, mark] = [0, 0, -1, 0];
    while (at < characters.length) {
      const current = tokens[token];
      if (current === "star") [star, mark, token] = [token, at, token + 1];
      else if (current?.(characters[at] ?? "")) [at, token] = [at + 1, token + 1];
      else if (star >= 0) [token, mark, at] = [star + 1, mark + 1, mark + 1];
      else return false;
    }
    return tokens.slice(token).every((left) => left === "star");
  };
}

function tokensOf(step: string): (Token | "star")[] {
  const tokens: (Token | "star")[] = [];
  const characters = Array.from(step);
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] ?? "";
    const end = character === "[" ? characters.indexOf("]", at + 2) : -1;
    if (character === "*") {
      if (tokens.at(-1) !== "star") tokens.push("star");
    } else if (character === "?") tokens.push(() => true);
    else if (end > 0) {
      tokens.push(characterClass(characters.slice(at + 1, end)));
      at = end;
    } else tokens.push((given) => given === character);
  }
  return tokens;
}

function characterClass(inside: string[]): Token {
  const isNegated = inside[0] === "!" || inside[0] === "^";
  const members = isNegated ? inside.slice(1) : inside;
  const ranges: [string, string][] = [];
  for (let at = 0; at < members.length; at++) {
    const low = members[at] ?? "";
    const high = members[at + 1] === "-" ? members[at + 2] : undefined;
    ranges.push([low, high ?? low]);
    if (high !== undefined) at += 2;
  }
  return (given) => ranges.some(([low, high]) => low <= given && given <= high) !== isNegated;
}

function expandBraces(pattern: string): string[] {
  const done = new Set<string>();
  let open = [pattern];
  while (open.length > 0) {
    const next: string[] = [];
    for (const choice of open) {
      const found =
        /^([^{}]*)\{([^{}]*,[^{}]*)\}([^]*)$/.exec(choice) ?? /^([^]*?)\{([^{}]*,[^{}]*)\}([^]*)$/.exec(choice);
      if (!found) done.add(choice);
      else next.push(...(found[2] ?? "").split(",").map((part) => `${found[1]}${part}${found[3]}`));
    }
    open = next;
    if (open.length + done.size > maxChoices) throw invalid(`expands to more than ${maxChoices} patterns`);
  }
  return [...done];
}

function invalid(why: string): BiplaneError {
  return new BiplaneError("INVALID_INPUT", `The pattern ${why}.`);
}
