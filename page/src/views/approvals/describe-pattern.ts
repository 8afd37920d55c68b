/** What a pattern covers, as a sentence fragment: `calls to refund where amount is at most 100`. */
export function describePattern(pattern: unknown): string {
  const { tools, conditions } = patternParts(pattern);
  if (conditions === "") return `all calls to ${tools} with any input`;
  return `calls to ${tools} where ${conditions}, with any other arguments`;
}

/** The tools of a pattern and its conditions, which are empty if it covers every input. */
export function patternParts(pattern: unknown): { readonly tools: string; readonly conditions: string } {
  const { tool, arguments: given, ...others } = recordOf(pattern);
  const wanted = Object.entries(recordOf(given)).map(([path, matcher]) => `${path} is ${describeMatcher(matcher)}`);
  const further = Object.entries(others).map(([key, value]) => `${key} is ${JSON.stringify(value)}`);
  return {
    tools: tool === undefined || tool === "*" ? "every tool" : describeList(tool),
    conditions: [...wanted, ...further].join(" and "),
  };
}

function describeMatcher(matcher: unknown): string {
  if (typeof matcher !== "object" || matcher === null) return JSON.stringify(matcher) ?? "nothing";
  const parts = Object.entries(matcher).map(([key, value]) => describePart(key, value));
  return parts.length === 0 ? "nothing" : parts.join(" and ");
}

function describePart(key: string, value: unknown): string {
  switch (key) {
    case "like":
      return `like ${describeList(value)}`;
    case "in":
      return Array.isArray(value) && value.length === 1 ? describeMatcher(value[0]) : `one of ${describeList(value)}`;
    case "min":
      return `at least ${String(value)}`;
    case "max":
      return `at most ${String(value)}`;
    case "is":
      return `of type ${describeList(value)}`;
    case "exists":
      return value === false ? "absent" : "present";
    case "not":
      return `not ${describeMatcher(value)}`;
    case "any":
      return (Array.isArray(value) ? value : [value]).map(describeMatcher).join(" or ");
    case "each":
      return `a list whose items are each ${describeMatcher(value)}`;
    default:
      return `${key} ${JSON.stringify(value)}`;
  }
}

function describeList(value: unknown): string {
  return (Array.isArray(value) ? value : [value])
    .map((each) => (typeof each === "string" && /^[\w*?.-]+$/.test(each) ? each : JSON.stringify(each)))
    .join(", ");
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
