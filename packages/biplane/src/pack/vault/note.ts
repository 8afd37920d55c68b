import { decodeUri } from "@biplane/core/internal";
import { readFrontMatter } from "./front-matter.ts";

/** A parsed note: front matter, tags and links. */
export interface Note {
  readonly title: string;
  readonly frontMatter: Readonly<Record<string, unknown>>;
  /** Why the front matter could not be parsed. */
  readonly frontMatterFault: string | undefined;
  readonly tags: readonly string[];
  /** Link targets as written: note names or paths. */
  readonly links: readonly string[];
}

/** Parses the beginning of a note. Never throws: broken front matter counts as empty. */
export async function readNote(text: string, path: string): Promise<Note> {
  const { fields, fault, body } = await readFrontMatter(text.slice(0, maxNoteLength));
  const prose = withoutCode(body);
  const heading = /^#[ \t]+(\S.*)$/m.exec(prose)?.[1]?.trim();
  const title = typeof fields["title"] === "string" ? fields["title"] : heading;
  return {
    title: (title || nameOf(path)).slice(0, 200),
    frontMatter: fields,
    frontMatterFault: fault,
    tags: firstOf(maxTags, [listOf(fields["tags"] ?? fields["tag"]), inlineTags(prose)]),
    links: firstOf(maxLinks, [wikiLinks(prose), markdownLinks(prose)]),
  };
}

/** A note's name without folder and extension. */
export function nameOf(path: string): string {
  return (path.split("/").at(-1) ?? path).replace(/\.md$/i, "");
}

/** What comes later has neither tags nor links: parsing a megabyte would block the event loop. */
export const maxNoteLength = 256 * 1024;
const maxTags = 500;
const maxLinks = 500;

/** Removes code blocks and inline code, whose content is not parsed for tags and links. */
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

function* inlineTags(prose: string): Generator<string> {
  for (const [, tag = ""] of prose.matchAll(/(?<=^|[\s(])#([\p{L}\p{N}_/-]{1,100})/gmu))
    if (/[^\d/]/.test(tag)) yield tag;
}

function* wikiLinks(prose: string): Generator<string> {
  const links = prose.matchAll(/\[\[([^[\]\n|#^]{1,300})(?:[#^][^[\]\n|]{0,300})?(?:\|[^[\]\n]{0,300})?\]\]/g);
  for (const [, target = ""] of links) yield target.trim();
}

/** A title may follow a link after a space. Without the space, there would be many ways to match. */
function* markdownLinks(prose: string): Generator<string> {
  for (const [, link = ""] of prose.matchAll(/\]\(<?([^()<>\s]{1,300})>?(?:[ \t][^()\n]{0,200})?\)/g)) {
    const written = link.replace(/#.*$/, "");
    const target = decodeUri(written) ?? written;
    if (/\.md$/i.test(target) && !/^[a-z][a-z0-9+.-]*:/i.test(target)) yield target;
  }
}

function clean(tag: string): string {
  return tag.trim().replace(/^#/, "").slice(0, 100);
}

/** Different ones, in order. */
function firstOf(max: number, lists: readonly Iterable<string>[]): string[] {
  const found = new Set<string>();
  for (const list of lists) {
    for (const item of list) {
      if (found.size === max) return [...found];
      if (item !== "") found.add(item);
    }
  }
  return [...found];
}
