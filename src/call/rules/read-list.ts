import { unknownName } from "./near-miss.ts";
import type { Place } from "./problem.ts";
import { showValue } from "./show-value.ts";

/** One thing or a list of them that is neither empty nor endless. */
export function readList<T>(written: unknown, place: Place, read: (item: unknown, at: Place) => T | undefined): T[] {
  const isList = Array.isArray(written);
  const items: readonly unknown[] = isList ? written : [written];
  if (items.length === 0) place.fail("is empty, so nothing could match");
  if (items.length > longestList) place.fail(`must have at most ${longestList} entries`);
  return items.slice(0, longestList).flatMap((item, index) => {
    const one = read(item, isList ? place.at(index) : place);
    return one === undefined ? [] : [one];
  });
}

const longestList = 1000;

/** Reads one of a few names or several of them. */
export function readNames<Name extends string>(written: unknown, place: Place, known: readonly Name[]): Name[] {
  return readList(written, place, (item, at) => {
    const name = known.find((each) => each === item);
    if (name === undefined)
      at.fail(
        typeof item === "string"
          ? `is ${showValue(item)}, which ${unknownName(item, known, "known here")}`
          : `must be one of ${known.join(", ")}`,
      );
    return name;
  });
}

/** "a or b", cut short where there are many. */
export function orList(items: readonly string[]): string {
  return items.length > 6 ? `${items.slice(0, 6).join(", ")} or another` : items.join(" or ");
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
