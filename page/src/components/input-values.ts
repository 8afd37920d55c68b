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

/** The input with its keys, such as `order: O-4744, amount: 99`. Takes its JSON, or the beginning of that. */
export function inputPairs(json: string): string {
  const input = parsed(json);
  if (input === undefined)
    return unquoted(json.replace(/^\{/, "").replaceAll(/(?<=^|[{,])"((?:[^"\\]|\\.)*)":/g, "$1: "));
  if (typeof input !== "object" || input === null) return shown(input);
  return Object.entries(input)
    .map(([key, value]) => `${key}: ${shown(value)}`)
    .join(", ");
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

function shown(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
