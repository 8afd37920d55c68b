/** What a pattern covers, as the rest of a sentence: `calls of refund where amount is at most 100`. */
export function patternWords(pattern: unknown): string {
  const { tool, arguments: given, ...others } = recordOf(pattern);
  const wanted = Object.entries(recordOf(given)).map(([path, matcher]) => `${path} is ${matcherWords(matcher)}`);
  const further = Object.entries(others).map(([key, value]) => `${key} is ${JSON.stringify(value)}`);
  const conditions = [...wanted, ...further];
  const calls = tool === undefined || tool === "*" ? "calls of every tool" : `calls of ${listWords(tool)}`;
  if (conditions.length === 0) return `all ${calls}, whatever they are given`;
  return `${calls} where ${conditions.join(" and ")}, whatever else they are given`;
}

function matcherWords(matcher: unknown): string {
  if (typeof matcher !== "object" || matcher === null) return JSON.stringify(matcher) ?? "nothing";
  const parts = Object.entries(matcher).map(([key, value]) => partWords(key, value));
  return parts.length === 0 ? "nothing" : parts.join(" and ");
}

function partWords(key: string, value: unknown): string {
  switch (key) {
    case "like":
      return `like ${listWords(value)}`;
    case "in":
      return Array.isArray(value) && value.length === 1 ? matcherWords(value[0]) : `one of ${listWords(value)}`;
    case "min":
      return `at least ${String(value)}`;
    case "max":
      return `at most ${String(value)}`;
    case "is":
      return `of type ${listWords(value)}`;
    case "exists":
      return value === false ? "left out" : "there";
    case "not":
      return `not ${matcherWords(value)}`;
    case "any":
      return (Array.isArray(value) ? value : [value]).map(matcherWords).join(" or ");
    case "each":
      return `a list of which each is ${matcherWords(value)}`;
    default:
      return `${key} ${JSON.stringify(value)}`;
  }
}

function listWords(value: unknown): string {
  return (Array.isArray(value) ? value : [value])
    .map((each) => (typeof each === "string" && /^[\w*?.-]+$/.test(each) ? each : JSON.stringify(each)))
    .join(", ");
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
