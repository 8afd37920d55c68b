import { readFrontMatter } from "./front-matter.ts";

/** A note as it reads: what its head says, what it is tagged with and what it points to. */
export interface Note {
  readonly title: string;
  readonly frontMatter: Readonly<Record<string, unknown>>;
  /** Why the head could not be read. */
  readonly frontMatterFault: string | undefined;
  readonly tags: readonly string[];
  /** As written: the names of notes, or paths. */
  readonly links: readonly string[];
}

/** Reads a note. Whatever it holds, something comes out: a broken head is an empty one. */
export async function readNote(text: string, path: string): Promise<Note> {
  const { fields, fault, body } = await readFrontMatter(text);
  const prose = withoutCode(body);
  const heading = /^#[ \t]+(\S.*)$/m.exec(prose)?.[1]?.trim();
  const title = typeof fields["title"] === "string" ? fields["title"] : heading;
  return {
    title: (title || nameOf(path)).slice(0, 200),
    frontMatter: fields,
    frontMatterFault: fault,
    tags: unique([...listOf(fields["tags"] ?? fields["tag"]), ...inlineTags(prose)]),
    links: unique([...wikiLinks(prose), ...markdownLinks(prose)]),
  };
}

/** A note's name without folder and ending. */
export function nameOf(path: string): string {
  return (path.split("/").at(-1) ?? path).replace(/\.md$/i, "");
}

const mostLinks = 2000;

/** Blanks out fenced blocks and code in lines: what looks like a tag or a link there is none. */
function withoutCode(body: string): string {
  let fence: string | undefined;
  const lines = body.split("\n").map((line) => {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence)) fence = undefined;
      return "";
    }
    if (mark !== undefined) {
      fence = mark;
      return "";
    }
    return line.replace(/`[^`]*`/g, "");
  });
  return lines.join("\n");
}

function listOf(value: unknown): string[] {
  const items = typeof value === "string" ? value.split(/[,\s]+/) : Array.isArray(value) ? value : [];
  return items.flatMap((item) => (typeof item === "string" || typeof item === "number" ? [clean(String(item))] : []));
}

function inlineTags(prose: string): string[] {
  return [...prose.matchAll(/(?<=^|[\s(])#([\p{L}\p{N}_/-]{1,100})/gmu)]
    .map(([, tag = ""]) => tag)
    .filter((tag) => /[^\d/]/.test(tag))
    .slice(0, mostLinks);
}

function wikiLinks(prose: string): string[] {
  return [...prose.matchAll(/\[\[([^[\]\n|#^]{1,300})(?:[#^][^[\]\n|]{0,300})?(?:\|[^[\]\n]{0,300})?\]\]/g)]
    .map(([, target = ""]) => target.trim())
    .slice(0, mostLinks);
}

function markdownLinks(prose: string): string[] {
  return [...prose.matchAll(/\]\(<?([^()<>\s]{1,300})>?[^()\n]{0,200}\)/g)]
    .map(([, target = ""]) => decode(target.replace(/#.*$/, "")))
    .filter((target) => /\.md$/i.test(target) && !/^[a-z][a-z0-9+.-]*:/i.test(target))
    .slice(0, mostLinks);
}

function decode(target: string): string {
  try {
    return decodeURIComponent(target);
  } catch {
    return target;
  }
}

function clean(tag: string): string {
  return tag.trim().replace(/^#/, "").slice(0, 100);
}

function unique(items: readonly string[]): string[] {
  return [...new Set(items.filter((item) => item !== ""))];
}
