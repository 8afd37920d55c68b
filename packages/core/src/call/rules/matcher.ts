import { readGlobs } from "./globs.ts";
import { unknownName } from "../../tool/near-miss.ts";
import type { DocumentCursor } from "./problem.ts";
import { orList, readList, readNames } from "./read-list.ts";
import { showValue } from "./show-value.ts";
import { isRecord } from "../../is-record.ts";

/** A condition on one value. */
export interface Matcher {
  /** Undefined if there is no value; then neither the condition nor its negation holds. */
  readonly matches: (value: unknown) => boolean | undefined;
  /** Completes the phrase "the rule needs …", such as "at most 100". */
  readonly wants: string;
}

/** A plain value, or an object of conditions that must all hold. */
export type WrittenMatcher = string | number | boolean | null | MatcherKeys;

export interface MatcherKeys {
  /** A glob. */
  readonly like?: string;
  readonly in?: readonly (string | number | boolean | null)[];
  readonly min?: number;
  readonly max?: number;
  readonly is?: Kind | readonly Kind[];
  readonly exists?: boolean;
  readonly not?: WrittenMatcher;
  readonly any?: readonly WrittenMatcher[];
  /** Every item of a list matches. */
  readonly each?: WrittenMatcher;
}

type Kind = (typeof kinds)[number];
const kinds = ["string", "number", "integer", "boolean", "array", "object", "null"] as const;

/** Reads a matcher. Mistakes are reported to `cursor`, and the faulty part matches nothing. */
export function readMatcher(written: unknown, cursor: DocumentCursor): Matcher {
  if (isScalar(written)) return equals(written);
  if (Array.isArray(written)) return wrong(cursor, "is a list; write { in: [...] } for one of several values");
  if (!isRecord(written)) return wrong(cursor, `must be a value or an object with ${Object.keys(readers).join(", ")}`);
  if (cursor.path.length > deepest) return wrong(cursor, "is nested too deeply");
  const keys = Object.keys(written);
  if (keys.length === 0) return wrong(cursor, `is empty; write at least one of ${Object.keys(readers).join(", ")}`);
  if (isAbove(written["min"], written["max"])) cursor.at("min").fail("is above max, so nothing could match");
  return all(
    keys.map((key) => {
      const read = Object.hasOwn(readers, key) ? readers[key as keyof MatcherKeys] : undefined;
      if (read) return read(written[key], cursor.at(key));
      cursor.at(key).fail(unknownName(key, Object.keys(readers)), "key");
      return nothing;
    }),
  );
}

const deepest = 16;

/** Stands in for a faulty matcher. Undefined keeps everything that contains it from matching, even under `not`. */
const nothing: Matcher = { matches: () => undefined, wants: "nothing" };

const readers: {
  readonly [Key in keyof Required<MatcherKeys>]: (written: unknown, cursor: DocumentCursor) => Matcher;
} = {
  like: readGlobs,
  in: (written, cursor) => {
    if (!Array.isArray(written)) return wrong(cursor, "must be a list of values");
    const values = readList(written, cursor, (item, at) => {
      if (isScalar(item)) return { item };
      at.fail("must be text, a number, true, false or null");
      return undefined;
    });
    const known = new Set(values.map(({ item }) => item));
    return ofValue((value) => known.has(value as Scalar), orList(values.map(({ item }) => showValue(item))));
  },
  min: (written, cursor) => {
    if (!isNumber(written)) return wrong(cursor, "must be a number");
    return ofValue((value) => isNumeric(value) && value >= written, `at least ${written}`);
  },
  max: (written, cursor) => {
    if (!isNumber(written)) return wrong(cursor, "must be a number");
    return ofValue((value) => isNumeric(value) && value <= written, `at most ${written}`);
  },
  is: (written, cursor) => {
    const names = readNames(written, cursor, kinds);
    return ofValue(
      (value) => names.some((name) => isOfKind(value, name)),
      orList(names.map((name) => `of type ${name}`)),
    );
  },
  exists: (written, cursor) => {
    if (typeof written !== "boolean") return wrong(cursor, "must be true or false");
    return { matches: (value) => (value !== undefined) === written, wants: written ? "present" : "missing" };
  },
  not: (written, cursor) => {
    const { matches, wants } = readMatcher(written, cursor);
    return {
      matches: (value) => {
        const holds = matches(value);
        return holds === undefined ? undefined : !holds;
      },
      wants: `not ${wants}`,
    };
  },
  any: (written, cursor) => {
    if (!Array.isArray(written)) return wrong(cursor, "must be a list of alternatives");
    const matchers = readList(written, cursor, readMatcher);
    return {
      matches: (value) => {
        let holds: boolean | undefined = false;
        for (const matcher of matchers) {
          const one = matcher.matches(value);
          if (one === true) return true;
          if (one === undefined) holds = undefined;
        }
        return holds;
      },
      wants: orList(matchers.map(({ wants }) => wants)),
    };
  },
  each: (written, cursor) => {
    const { matches, wants } = readMatcher(written, cursor);
    return ofValue(
      (value) => Array.isArray(value) && value.every((item) => matches(item) === true),
      `a list of which each item is ${wants}`,
    );
  },
};

type Scalar = string | number | boolean | null;

function equals(wanted: Scalar): Matcher {
  return ofValue((value) => value === wanted, showValue(wanted));
}

function ofValue(matches: (value: unknown) => boolean, wants: string): Matcher {
  return { matches: (value) => (value === undefined ? undefined : matches(value)), wants };
}

function all(matchers: readonly Matcher[]): Matcher {
  const [only] = matchers;
  if (only && matchers.length === 1) return only;
  return {
    matches: (value) => {
      let holds: boolean | undefined = true;
      for (const matcher of matchers) {
        const one = matcher.matches(value);
        if (one === false) return false;
        if (one === undefined) holds = undefined;
      }
      return holds;
    },
    wants: matchers.map(({ wants }) => wants).join(" and "),
  };
}

function wrong(cursor: DocumentCursor, message: string): Matcher {
  cursor.fail(message);
  return nothing;
}

function isScalar(value: unknown): value is Scalar {
  return value === null || typeof value === "string" || typeof value === "boolean" || isNumber(value);
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

/** A tool's schema may parse a number into a bigint. */
function isNumeric(value: unknown): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

function isAbove(min: unknown, max: unknown): boolean {
  return isNumber(min) && isNumber(max) && min > max;
}

function isOfKind(value: unknown, kind: Kind): boolean {
  switch (kind) {
    case "array":
      return Array.isArray(value);
    case "object":
      return isRecord(value);
    case "null":
      return value === null;
    case "integer":
      return Number.isInteger(value);
    default:
      return typeof value === kind;
  }
}
