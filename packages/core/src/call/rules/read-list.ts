import { unknownName } from "../../tool/near-miss.ts";
import type { DocumentCursor } from "./problem.ts";
import { showValue } from "./show-value.ts";

/** Reads one item or a list of items. The list must be non-empty and at most 1000 long. */
export function readList<T>(
  written: unknown,
  cursor: DocumentCursor,
  read: (item: unknown, at: DocumentCursor) => T | undefined,
): T[] {
  const isList = Array.isArray(written);
  const items: readonly unknown[] = isList ? written : [written];
  if (items.length === 0) cursor.fail("is empty, so nothing could match");
  if (items.length > maxListLength) cursor.fail(`must have at most ${maxListLength} entries`);
  return items.slice(0, maxListLength).flatMap((item, index) => {
    const one = read(item, isList ? cursor.at(index) : cursor);
    return one === undefined ? [] : [one];
  });
}

const maxListLength = 1000;

/** Reads one or more of the known names. */
export function readNames<Name extends string>(
  written: unknown,
  cursor: DocumentCursor,
  known: readonly Name[],
): Name[] {
  return readList(written, cursor, (item, at) => {
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

/** "a or b", shortened after six items. */
export function orList(items: readonly string[]): string {
  return items.length > 6 ? `${items.slice(0, 6).join(", ")} or another` : items.join(" or ");
}
