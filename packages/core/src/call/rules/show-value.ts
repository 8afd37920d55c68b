/** Formats a value for a sentence: short, on one line, with invisible characters escaped. */
export function showValue(value: unknown): string {
  const shown = show(value, 2);
  return shown.length <= maxLength + 5 ? shown : `${shown.slice(0, maxLength)}…`;
}

/** A plain name is shown as it is; any other is quoted, so it cannot pose as part of the sentence. */
export function showName(name: string): string {
  return /^[\w./:@-]{1,128}$/.test(name) ? name : showValue(name);
}

const maxLength = 100;
const maxMembers = 6;

function show(value: unknown, levels: number): string {
  if (typeof value === "string") return quote(value);
  if (value === undefined) return "nothing";
  if (value === null || typeof value === "number" || typeof value === "boolean" || typeof value === "bigint")
    return String(value);
  if (typeof value !== "object") return `a ${typeof value}`;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "an invalid date" : value.toISOString();
  if (Array.isArray(value)) return `[${some(value, levels, (item) => show(item, levels - 1))}]`;
  return `{${some(Object.entries(value), levels, ([key, item]) => `${quote(key)}: ${show(item, levels - 1)}`)}}`;
}

function some<T>(all: readonly T[], levels: number, showOne: (item: T) => string): string {
  if (levels === 0 && all.length > 0) return "…";
  const shown = all.slice(0, maxMembers).map(showOne);
  return all.length > maxMembers ? `${shown.join(", ")}, …` : shown.join(", ");
}

/** Truncates before escaping, so long text is cheap. */
function quote(text: string): string {
  const isLong = text.length > maxLength;
  const escaped = JSON.stringify(isLong ? text.slice(0, maxLength) : text).replaceAll(
    unseen,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
  return isLong ? `${escaped.slice(0, -1)}…"` : escaped;
}

/** Invisible characters and direction marks could hide what an approver must see. */
const unseen = /[\p{C}\p{Zl}\p{Zp}\u115F\u1160\u3164\uFFA0]/gu;
