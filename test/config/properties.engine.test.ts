import fc from "fast-check";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import { configSchema } from "../../packages/biplane/src/config/config-schema.ts";
import type { Schema } from "../../packages/biplane/src/config/schema.ts";
import { runs } from "../support/runs.ts";
import { arbitraryConfig } from "./arbitrary-config.ts";
import type { Data } from "./arbitrary-config.ts";
import { complaint, lineAndColumn, read } from "./reading.ts";

type Steps = readonly (string | number)[];

const style = fc.record({
  collectionStyle: fc.constantFrom("any" as const, "flow" as const),
  indent: fc.integer({ min: 1, max: 8 }),
  lineWidth: fc.constant(0),
});
const marker = "Zq9Zq9";

test("every config that is in order comes back as it was written, with defaults", () => {
  fc.assert(
    fc.property(arbitraryConfig(), style, (written, how) => {
      const { config } = read(stringify(escaped(written), how));
      expect(config).toMatchObject(written);
      expect(Object.isFrozen(config)).toBe(true);
      const { policyDefault, ...again } = config;
      const whole = config.policies ? { ...again, policyDefault } : again;
      expect(read(stringify(escaped(whole), how)).config).toEqual(config);
    }),
    runs(50),
  );
});

test("a misspelled key is reported with its line and column", () => {
  fc.assert(
    fc.property(arbitraryConfig(), style, fc.nat(), (written, how, which) => {
      const keys = spots(written, configSchema, []).filter(({ isClosed }) => isClosed);
      const spot = keys[which % Math.max(1, keys.length)];
      fc.pre(spot !== undefined);
      const wrong = replaced(written, spot.path, (value) => ({ [`${String(spot.path.at(-1))}${marker}`]: value }));
      const text = stringify(escaped(wrong), how);
      const at = lineAndColumn(text, text.indexOf(`${String(spot.path.at(-1))}${marker}`));
      expect(complaint(text)).toMatch(new RegExp(`^/srv/biplane.yaml:${at}: .*${marker} is not a known key;`, "m"));
    }),
    runs(80),
  );
});

test("a value of the wrong type is reported with its line and column", () => {
  fc.assert(
    fc.property(arbitraryConfig(), style, fc.nat(), (written, how, which) => {
      const typed = spots(written, configSchema, []).filter(({ schema }) => schema.type ?? schema.anyOf);
      const spot = typed[which % Math.max(1, typed.length)];
      fc.pre(spot !== undefined);
      const value = spot.schema.type === "string" ? 918273645 : marker;
      const text = stringify(escaped(replaced(written, spot.path, () => ({ [String(spot.path.at(-1))]: value }))), how);
      const at = lineAndColumn(text, text.indexOf(String(value)));
      expect(complaint(text)).toMatch(new RegExp(`^/srv/biplane.yaml:${at}: .* (must|is|needs)`, "m"));
    }),
    runs(80),
  );
});

test("whatever a file holds, it is read or refused with a place", () => {
  const line = fc.oneof(
    fc.string(),
    fc.constantFrom(
      "name: x",
      "  - a",
      "{",
      "}",
      "]",
      "[",
      "? ",
      ": ",
      "&a x",
      "*a",
      "!t x",
      "---",
      "'",
      '"',
      "|",
      "mode:",
    ),
    fc.constantFrom(
      "policies:",
      "  - tool: x",
      "    allow: true",
      "limits:",
      "  global:",
      "    burst: ${X}",
      "\t",
      "# c",
    ),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
      try {
        read(lines.join("\n"));
      } catch (error) {
        expect((error as Error).message).toMatch(/^\/srv\/biplane\.yaml:\d+:\d+: /);
      }
    }),
    runs(500),
  );
});

interface Spot {
  readonly path: Steps;
  readonly schema: Schema;
  /** Whether the object it is in knows all its keys. */
  readonly isClosed: boolean;
}

/** Every key and item that the schema knows. */
function spots(value: unknown, schema: Schema, path: Steps): Spot[] {
  if (schema.anyOf) {
    const part = schema.anyOf.find(({ type }) => (type === "object") === (typeof value === "object"));
    return part ? spots(value, part, path) : [];
  }
  if (Array.isArray(value))
    return value.flatMap((item, index) => {
      const below = schema.items ?? {};
      return [{ path: [...path, index], schema: below, isClosed: false }, ...spots(item, below, [...path, index])];
    });
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value as Data).flatMap(([key, item]) => {
    const known = schema.properties?.[key] ?? schema.additionalProperties;
    if (typeof known !== "object") return [];
    const isClosed = schema.additionalProperties === false;
    return [{ path: [...path, key], schema: known, isClosed }, ...spots(item, known, [...path, key])];
  });
}

/** The same data with one member written anew, in its place. */
function replaced(data: unknown, [step, ...rest]: Steps, change: (value: unknown) => Data): unknown {
  const isLast = rest.length === 0;
  if (Array.isArray(data))
    return data.map((item, index) => {
      if (index !== step) return item as unknown;
      return isLast ? Object.values(change(item))[0] : replaced(item, rest, change);
    });
  const entries = Object.entries(data as Data).map(([key, item]) => {
    if (key !== step) return { [key]: item };
    return isLast ? change(item) : { [key]: replaced(item, rest, change) };
  });
  return Object.assign({}, ...entries);
}

/** `${` in a text is written `$${`. */
function escaped(value: unknown): unknown {
  if (typeof value === "string") return value.replaceAll("${", () => "$${");
  if (Array.isArray(value)) return value.map(escaped);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, escaped(item)]));
}
