import { readGlobs } from "./globs.ts";
import { unknownName } from "./near-miss.ts";
import type { Place } from "./problem.ts";
import { isRecord, orList, readList, readNames } from "./read-list.ts";
import { showValue } from "./show-value.ts";

/** What is asked of one value. */
export interface Matcher {
  /** Undefined where there is no value to ask it of: then neither it nor its opposite holds. */
  readonly matches: (value: unknown) => boolean | undefined;
  /** To be read after "should be": "at most 100". */
  readonly wants: string;
}

/** How a person writes what an argument should be: a plain value, or one or more of these, which must all hold. */
export type WrittenMatcher = string | number | boolean | null | MatcherKeys;

export interface MatcherKeys {
  /** A text that fits a glob. */
  readonly like?: string;
  readonly in?: readonly (string | number | boolean | null)[];
  readonly min?: number;
  readonly max?: number;
  readonly is?: Kind | readonly Kind[];
  readonly exists?: boolean;
  readonly not?: WrittenMatcher;
  readonly any?: readonly WrittenMatcher[];
  /** A list each item of which fits. */
  readonly each?: WrittenMatcher;
}

type Kind = (typeof kinds)[number];
const kinds = ["string", "number", "integer", "boolean", "array", "object", "null"] as const;

/** Reads a matcher. What is wrong with it is said at its place, and what is left of it matches nothing. */
export function readMatcher(written: unknown, place: Place): Matcher {
  if (isScalar(written)) return equals(written);
  if (Array.isArray(written)) return wrong(place, "is a list; write { in: [...] } for one of several values");
  if (!isRecord(written)) return wrong(place, "must be a value or one or more of like, in, min, max and so on");
  if (place.path.length > deepest) return wrong(place, "is nested too deeply");
  const keys = Object.keys(written);
  if (keys.length === 0) return wrong(place, `is empty; write one or more of ${Object.keys(readers).join(", ")}`);
  if (isAbove(written["min"], written["max"])) place.at("min").fail("is above max, so nothing could match");
  return all(
    keys.map((key) => {
      const read = Object.hasOwn(readers, key) ? readers[key as keyof MatcherKeys] : undefined;
      if (read) return read(written[key], place.at(key));
      place.at(key).fail(unknownName(key, Object.keys(readers)), "key");
      return nothing;
    }),
  );
}

const deepest = 16;

/** Gives no match to whatever it is part of; what is wrong was said. */
const nothing: Matcher = { matches: () => undefined, wants: "nothing" };

const readers: { readonly [Key in keyof Required<MatcherKeys>]: (written: unknown, place: Place) => Matcher } = {
  like: readGlobs,
  in: (written, place) => {
    if (!Array.isArray(written)) return wrong(place, "must be a list of values");
    const values = readList(written, place, (item, at) => {
      if (isScalar(item)) return { item };
      at.fail("must be text, a number, true, false or null");
      return undefined;
    });
    const known = new Set(values.map(({ item }) => item));
    return ofValue((value) => known.has(value as Scalar), orList(values.map(({ item }) => showValue(item))));
  },
  min: (written, place) => {
    if (!isNumber(written)) return wrong(place, "must be a number");
    return ofValue((value) => isNumeric(value) && value >= written, `at least ${written}`);
  },
  max: (written, place) => {
    if (!isNumber(written)) return wrong(place, "must be a number");
    return ofValue((value) => isNumeric(value) && value <= written, `at most ${written}`);
  },
  is: (written, place) => {
    const names = readNames(written, place, kinds);
    return ofValue(
      (value) => names.some((name) => isOfKind(value, name)),
      orList(names.map((name) => `of type ${name}`)),
    );
  },
  exists: (written, place) => {
    if (typeof written !== "boolean") return wrong(place, "must be true or false");
    return { matches: (value) => (value !== undefined) === written, wants: written ? "there" : "left out" };
  },
  not: (written, place) => {
    const { matches, wants } = readMatcher(written, place);
    return {
      matches: (value) => {
        const holds = matches(value);
        return holds === undefined ? undefined : !holds;
      },
      wants: `not ${wants}`,
    };
  },
  any: (written, place) => {
    if (!Array.isArray(written)) return wrong(place, "must be a list of what may hold");
    const matchers = readList(written, place, readMatcher);
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
  each: (written, place) => {
    const { matches, wants } = readMatcher(written, place);
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

function wrong(place: Place, message: string): Matcher {
  place.fail(message);
  return nothing;
}

function isScalar(value: unknown): value is Scalar {
  return value === null || typeof value === "string" || typeof value === "boolean" || isNumber(value);
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

/** Arguments are parsed by their tool's schema, which may have made a bigint of a number. */
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
