/** A value in a sentence for a person: short, on one line, and with nothing in it that only looks like something else. */
export function showValue(value: unknown): string {
  const shown = show(value, 2);
  return shown.length <= longest + 5 ? shown : `${shown.slice(0, longest)}…`;
}

/** A name that is nothing but a name stands as it is; one that could be read as part of the sentence is quoted. */
export function showName(name: string): string {
  return /^[\w./:@-]{1,128}$/.test(name) ? name : showValue(name);
}

const longest = 100;
const mostMembers = 6;

function show(value: unknown, levels: number): string {
  if (typeof value === "string") return quote(value);
  if (value === undefined) return "nothing";
  if (value === null || typeof value === "number" || typeof value === "boolean" || typeof value === "bigint")
    return String(value);
  if (typeof value !== "object") return `a ${typeof value}`;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "no date" : value.toISOString();
  if (Array.isArray(value)) return `[${some(value, levels, (item) => show(item, levels - 1))}]`;
  return `{${some(Object.entries(value), levels, ([key, item]) => `${quote(key)}: ${show(item, levels - 1)}`)}}`;
}

function some<T>(all: readonly T[], levels: number, showOne: (item: T) => string): string {
  if (levels === 0 && all.length > 0) return "…";
  const shown = all.slice(0, mostMembers).map(showOne);
  return all.length > mostMembers ? `${shown.join(", ")}, …` : shown.join(", ");
}

/** Cut before it is escaped, so that a long text costs no more than a short one. */
function quote(text: string): string {
  const isLong = text.length > longest;
  const escaped = JSON.stringify(isLong ? text.slice(0, longest) : text).replaceAll(
    unseen,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
  return isLong ? `${escaped.slice(0, -1)}…"` : escaped;
}

/** What is not seen, or turns the text around it: whoever decides must see what is there. */
const unseen = /[\p{C}\p{Zl}\p{Zp}\u115F\u1160\u3164\uFFA0]/gu;
