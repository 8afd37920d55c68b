import type { Reply } from "@biplane/core";
import { textReply } from "../shared/pack-tool.ts";
import { shortenText } from "../shared/shorten-text.ts";
import type { Redacting } from "../shared/shorten-text.ts";
import { truncateText } from "../web/truncate-text.ts";
import { maxChoiceLength, maxFieldLength } from "./page-scripts.ts";
import type { PageElement, ReadPage } from "./tab.ts";

/** Formats a part of a page with the elements in that part. */
export function showPage(
  page: ReadPage,
  { url, offset, length, call }: { url: string; offset: number; length: number; call: Redacting },
): Reply {
  const title = shortenTitle(page.title, call);
  const { content: whole, elements: all } = withInserts(page, call);
  const { text, isCut } = truncateText(whole.slice(offset), length);
  const end = offset + text.length;
  const content = call.redact(whole, { start: offset, end });
  const elements = all.filter(({ at }) => at >= offset && at < end).map(({ at: _at, ...element }) => element);
  const head = `${title === "" ? "" : `Title: ${title}\n`}URL: ${url}\n\n`;
  const tail = isCut
    ? `\n\n[Content truncated; continue with offset ${end}]`
    : page.isWhole
      ? ""
      : "\n\n[Content truncated]";
  return textReply(head + content + tail, { url, title, content, elements, truncated: isCut || !page.isWhole });
}

export function shortenTitle(title: string, call: Redacting): string {
  return shortenText(title, 500, call);
}

/** The text of a page with its elements, images and frames in it. */
function withInserts({ content, inserts }: ReadPage, call: Redacting) {
  const parts: string[] = [];
  const elements: (PageElement & { readonly at: number })[] = [];
  let [length, from] = [0, 0];
  const add = (text: string) => {
    parts.push(text);
    length += text.length;
  };
  for (const { at, ...insert } of inserts) {
    add(content.slice(from, at));
    from = at + 1;
    if ("element" in insert) {
      const element = shortened(insert, call);
      elements.push({ ...element, at: length });
      add(elementText(element));
    } else if (insert.kind === "image") add(`(image: ${shortenText(insert.name, maxNameLength, call)})`);
    else add(`(a frame: ${shortenText(insert.name, 500, call)})`);
  }
  add(content.slice(from));
  return { content: parts.join(""), elements };
}

const maxNameLength = 200;

function shortened({ name, url, value, choices, ...rest }: PageElement, call: Redacting): PageElement {
  return {
    ...rest,
    name: shortenText(name, maxNameLength, call),
    ...(url !== undefined && { url: shortenText(url, maxFieldLength, call) }),
    ...(value !== undefined && { value: shortenText(value, maxNameLength, call) }),
    ...(choices && { choices: choices.map((choice) => shortenText(choice, maxChoiceLength, call)) }),
  };
}

function elementText({ element, kind, name, value, checked, choices, disabled }: PageElement): string {
  const parts = [element, kind, JSON.stringify(name)];
  if (value !== undefined) parts.push(`= ${JSON.stringify(value)}`);
  if (choices) parts.push(`of ${choices.map((choice) => JSON.stringify(choice)).join(", ")}`);
  if (checked) parts.push("(checked)");
  if (disabled) parts.push("(disabled)");
  return `[${parts.join(" ")}]`;
}
