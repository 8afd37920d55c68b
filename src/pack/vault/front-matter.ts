import { messageOf } from "../../errors.ts";

export interface FrontMatter {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly fault: string | undefined;
  /** The note without its head. */
  readonly body: string;
}

/** The YAML between two lines of dashes at the top of a note, as plain JSON. */
export async function readFrontMatter(text: string): Promise<FrontMatter> {
  const start = /^\ufeff?---[ \t]*\r?\n/.exec(text)?.[0].length;
  if (start === undefined) return { fields: {}, fault: undefined, body: text };
  const end = /^(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/m.exec(text.slice(start, start + longestHead));
  if (!end) return { fields: {}, fault: undefined, body: text };
  const body = text.slice(start + end.index + end[0].length);
  try {
    return { fields: await parseHead(text.slice(start, start + end.index)), fault: undefined, body };
  } catch (error) {
    return { fields: {}, fault: (messageOf(error).split("\n")[0] ?? "").slice(0, 200), body };
  }
}

const longestHead = 64 * 1024;

async function parseHead(head: string): Promise<Record<string, unknown>> {
  const { parse } = await import("yaml");
  const value: unknown = parse(head, { schema: "core", maxAliasCount: 20, logLevel: "error", prettyErrors: false });
  if (value === null) return {};
  if (typeof value !== "object" || Array.isArray(value)) throw new TypeError("it is not a list of fields");
  // Through JSON: what cannot be sent (circles, infinities, maps) does not get any further.
  return JSON.parse(JSON.stringify(value)) as Record<string, unknown>;
}
