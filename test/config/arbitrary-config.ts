import fc from "fast-check";
import { configSchema } from "../../packages/biplane/src/config/config-schema.ts";
import type { Schema } from "../../packages/biplane/src/config/schema.ts";
import { anyCharacter } from "../support/any-character.ts";

export type Data = Record<string, unknown>;

/** Any config that is in order. */
export function arbitraryConfig(): fc.Arbitrary<Data> {
  return valueOf(configSchema).map((value) => settle(value as Data));
}

function valueOf(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(valueOf));
  if (schema.enum) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case "string":
      return text(schema);
    case "boolean":
      return fc.boolean();
    case "integer":
    case "number":
      return fc.integer({ min: Math.ceil(schema.minimum ?? 1), max: schema.maximum ?? 1_000_000 });
    case "array":
      return fc.array(valueOf(schema.items ?? {}), { maxLength: 3 });
    case "object":
      return objectOf(schema);
    default:
      return fc.constantFrom<unknown>(null, "x", 1, true);
  }
}

function text({ format, pattern, minLength = 0, maxLength = 40 }: Schema): fc.Arbitrary<string> {
  if (format === "path") return fc.constantFrom("/srv/a.ts", "/srv/b.db", "/srv/with space/ü");
  if (pattern?.includes("\\d{4}")) return fc.constant("2027-01-31T00:00:00Z");
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern));
  return fc.string({ unit: anyCharacter, minLength, maxLength: Math.max(minLength, Math.min(maxLength, 40)) });
}

function objectOf({ properties, required = [], additionalProperties, propertyNames }: Schema): fc.Arbitrary<Data> {
  if (properties) {
    const parts = Object.entries(properties).map(([key, each]) => [key, valueOf(each)] as const);
    return fc.record(Object.fromEntries(parts), { requiredKeys: [...required] });
  }
  const names = propertyNames?.pattern
    ? fc.stringMatching(new RegExp(propertyNames.pattern))
    : fc.string({ maxLength: 10 }).filter((name) => name !== "__proto__");
  const values = typeof additionalProperties === "object" ? valueOf(additionalProperties) : fc.constant(1);
  return fc.dictionary(names, values, { maxKeys: 3, noNullPrototype: true });
}

/** What the shape alone does not say. */
function settle(config: Data): Data {
  const { policies, policyDefault, auth, mcpServers, secrets, environments, notifications, ...rest } = config;
  const settled: Data = { ...rest };
  if (Array.isArray(policies)) {
    settled["policies"] = policies.map((_, index) => sampleRules[index % sampleRules.length]);
    if (policyDefault !== undefined) settled["policyDefault"] = policyDefault;
  }
  if (Array.isArray(environments))
    settled["environments"] = environments.map((name) => String(name).replace(/^[./]/, "x"));
  if (auth) {
    const { tokens, ...other } = auth as { tokens?: Data[] };
    settled["auth"] = {
      ...other,
      ...(tokens && { tokens: tokens.map(oneOf("hash", "token", `sha256:${"0".repeat(64)}`)) }),
    };
  }
  if (mcpServers) {
    const entries = Object.entries(mcpServers as Record<string, Data>);
    settled["mcpServers"] = Object.fromEntries(
      entries.map(([name, { oauth: _oauth, ...each }]) => [name, oneOf("command", "url", "node")(each)]),
    );
  }
  if (notifications) {
    const { webhooks, chat: _chat, ...other } = notifications as { webhooks?: Data[]; chat?: Data[] };
    const own = (index: number) => ({ name: `target-${index}`, url: `https://hooks.example.com/${index}` });
    settled["notifications"] = {
      ...other,
      ...(webhooks && { webhooks: webhooks.map((each, index) => ({ ...each, ...own(index) })) }),
    };
  }
  if (secrets) {
    const { key, ...other } = secrets as { key?: Data };
    settled["secrets"] = { ...other, ...(key && { key: { file: "/srv/key", ...key } }) };
  }
  return settled;
}

function oneOf(first: string, second: string, fallback: string): (data: Data) => Data {
  return (data) => {
    const others = Object.entries(data).filter(([key]) => key !== second);
    return { [first]: fallback, ...Object.fromEntries(others) };
  };
}

const sampleRules = [
  { name: "small", tool: "refund_*", arguments: { amount: { max: 100 } }, allow: true },
  { tool: ["a", "b"], principal: "token:*", time: { days: ["mon"], from: "08:00" }, ask: "May {tool}?" },
  { tool: "*", deny: "no" },
];
