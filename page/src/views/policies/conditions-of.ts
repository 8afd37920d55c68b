/** A rule's conditions and its reason or question as one line: `tool: refund_*, arguments: {"amount":{"max":100}}`. */
export function conditionsOf(rule: Readonly<Record<string, unknown>>): string {
  const { name: _name, allow: _allow, ...rest } = rule;
  return Object.entries(rest)
    .map(([key, value]) => `${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(", ");
}
