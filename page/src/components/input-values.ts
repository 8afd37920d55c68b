/**
 * The values of an input in short, such as `O-4744, 99`, so that rows can be told apart. Takes its JSON, or the beginning
 * of that.
 */
export function inputValues(json: string | null): string {
  if (json === null) return "";
  const input = parsed(json);
  // The beginning of a long input is not JSON. Its keys are left out too.
  if (input === undefined) return unquoted(json.replace(/^\{/, "").replaceAll(/(?<=^|[{,])"(?:[^"\\]|\\.)*":/g, ""));
  if (typeof input !== "object" || input === null) return shown(input);
  return Object.values(input).map(shown).join(", ");
}

/** The values of an input that a text does not have, with their keys, on one line. */
export function pairsBeyond(text: string, json: string | null): string {
  const input = parsed(json ?? "");
  if (typeof input !== "object" || input === null) return inputPairs(json ?? "");
  return pairsOf(Object.entries(input).filter(([, value]) => shown(value) !== "" && !hasWord(text, shown(value))));
}

/** False for `1` in `O-10`. */
function hasWord(text: string, word: string): boolean {
  const sides = text.split(word);
  return sides.some(
    (side, at) => at > 0 && !/[\p{L}\p{N}]$/u.test(sides[at - 1] ?? "") && !/^[\p{L}\p{N}]/u.test(side),
  );
}

/** The input with its keys, such as `order: O-4744, amount: 99`. Takes its JSON, or the beginning of that. */
export function inputPairs(json: string): string {
  const input = parsed(json);
  if (input === undefined)
    return unquoted(json.replace(/^\{/, "").replaceAll(/(?<=^|[{,])"((?:[^"\\]|\\.)*)":/g, "$1: "));
  if (typeof input !== "object" || input === null) return shown(input);
  return pairsOf(Object.entries(input));
}

function pairsOf(entries: readonly (readonly [string, unknown])[]): string {
  return entries.map(([key, value]) => `${key}: ${shown(value)}`).join(", ");
}

/** The beginning of JSON with its strings as in whole inputs: without quotes, and with a space after each comma. */
function unquoted(json: string): string {
  return json.replaceAll(/"((?:[^"\\]|\\.)*)(?:"|\\?$)|,/g, (found, text: string | undefined) =>
    text === undefined ? ", " : shown(parsed(`"${text}"`) ?? found),
  );
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return undefined;
  }
}

/** On one line: line ends are signs. */
function shown(value: unknown): string {
  return typeof value === "string" ? value.replaceAll(/\r?\n/g, "↵") : JSON.stringify(value);
}
