import { slugify } from "../.vitepress/markdown.ts";
import type { Entry } from "./entries.ts";
import type { Exported } from "./read-exports.ts";

/** An entry and what it exports. */
export interface EntryExports {
  readonly entry: Entry;
  readonly exports: readonly Exported[];
}

const kinds = [
  ["function", "Functions"],
  ["class", "Classes"],
  ["value", "Values"],
  ["type", "Types"],
] as const;

/** The list of entries. */
export function indexPage(all: readonly EntryExports[]): string {
  const rows = all.map(({ entry, exports }) => {
    const values = exports.filter(({ kind }) => kind !== "type").map(({ name }) => `\`${name}\``);
    const shown = values.length > 8 ? [...values.slice(0, 8), "…"] : values;
    return `| [\`${entry.specifier}\`](${entry.page}.md) | ${shown.join(", ")} | ${exports.length} |`;
  });
  return page(
    "TypeScript API",
    `What you can import, generated from the types. \`@biplane/core\` exports the tools, servers, environments and clients of \`biplane\`; \`@biplane/gallery\` and \`@biplane/starlark\` are \`biplane/gallery\` and \`biplane/starlark\`.

| Import from | Functions, classes and values | Exports |
| --- | --- | --- |
${rows.join("\n")}`,
  );
}

/** Everything that one entry exports. */
export function entryPage({ entry, exports }: EntryExports, all: readonly EntryExports[]): string {
  const links = linksFrom(entry, all);
  const sections = kinds.flatMap(([kind, title]) => {
    const members = exports.filter((each) => each.kind === kind);
    return members.length === 0 ? [] : [`## ${title}`, ...members.map((each) => section(each, links))];
  });
  return page(entry.specifier, sections.join("\n\n"));
}

function page(title: string, body: string): string {
  return `---\neditLink: false\npageClass: reference\n---\n\n# ${title}\n\n${body}\n`;
}

function section({ name, comment, code }: Exported, links: ReadonlyMap<string, string>): string {
  const named = new Set(code.match(/\b[A-Z]\w+\b/g));
  named.delete(name);
  const related = [...named].sort().flatMap((each) => (links.has(each) ? [`[\`${each}\`](${links.get(each)})`] : []));
  const parts = [`### ${name}`, prose(comment), `\`\`\`ts\n${code}\n\`\`\``];
  if (related.length > 0) parts.push(`See ${related.join(", ")}.`);
  return parts.filter((part) => part !== "").join("\n\n");
}

/** Where each exported name is described: on the page itself if it is there, otherwise on the first that has it. */
function linksFrom(entry: Entry, all: readonly EntryExports[]): Map<string, string> {
  const links = new Map<string, string>();
  for (const { entry: other, exports } of [...all].reverse())
    for (const { name } of exports) links.set(name, `${other.page}.md#${slugify(name)}`);
  for (const { name } of all.find(({ entry: other }) => other === entry)?.exports ?? [])
    links.set(name, `#${slugify(name)}`);
  return links;
}

/** A comment as Markdown. Outside of code, angle brackets and braces are text. */
function prose(comment: string): string {
  return comment
    .split(/(`[^`]*`)/)
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll("<", "&lt;").replaceAll("{{", "&#123;&#123;")))
    .join("");
}
