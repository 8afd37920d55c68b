import { messageOf } from "@biplane/core/internal";

export interface FrontMatter {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly fault: string | undefined;
  /** The note without its front matter. */
  readonly body: string;
}

/** Parses YAML front matter: the lines between two `---` lines at the top. */
export async function readFrontMatter(text: string): Promise<FrontMatter> {
  const start = /^\ufeff?---[ \t]*\r?\n/.exec(text)?.[0].length;
  if (start === undefined) return { fields: {}, fault: undefined, body: text };
  const end = /^(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/m.exec(text.slice(start, start + maxHeadLength));
  if (!end) return { fields: {}, fault: undefined, body: text };
  const body = text.slice(start + end.index + end[0].length);
  try {
    return { fields: await parseHead(text.slice(start, start + end.index)), fault: undefined, body };
  } catch (error) {
    return { fields: {}, fault: (messageOf(error).split("\n")[0] ?? "").slice(0, 200), body };
  }
}

const maxHeadLength = 64 * 1024;
export const frontMatterLimits = { maxLength: maxHeadLength, maxDepth: 32, maxTokens: 4000 };

async function parseHead(head: string): Promise<Record<string, unknown>> {
  const { parseYaml } = await import("../../bounds/parse-yaml.ts");
  const parsed = parseYaml(head, frontMatterLimits, { logLevel: "error", prettyErrors: false });
  if (parsed.fault !== undefined) throw new RangeError(`The front matter ${parsed.fault}.`);
  const [document] = parsed.documents;
  const [error] = document?.errors ?? [];
  if (error) throw error;
  const value: unknown = document?.toJS({ maxAliasCount: 20 });
  if (value === null || value === undefined) return {};
  if (typeof value !== "object" || Array.isArray(value)) throw new TypeError("The front matter is not a mapping.");
  // The JSON round trip removes what cannot be sent, such as cycles and infinities.
  return JSON.parse(JSON.stringify(value)) as Record<string, unknown>;
}
