import { reply, text } from "../../tool/content.ts";
import type { Reply } from "../../tool/content.ts";
import { cutText } from "../web/cut-text.ts";
import type { ReadPage } from "./tab.ts";

/** A part of a page, and the elements that stand in that part. */
export function showPage(page: ReadPage, options: { url: string; offset: number; length: number }): Reply {
  const { url, offset, length } = options;
  const { title, isWhole } = page;
  const { text: content, isCut } = cutText(page.content.slice(offset), length);
  const end = offset + content.length;
  const elements = page.elements.filter(({ at }) => at >= offset && at < end).map(({ at: _at, ...element }) => element);
  const head = `${title === "" ? "" : `Title: ${title}\n`}URL: ${url}\n\n`;
  const tail = isCut ? `\n\n[Content truncated; read on with offset ${end}]` : isWhole ? "" : "\n\n[Content truncated]";
  return reply(text(head + content + tail), {
    structured: { url, title, content, elements, truncated: isCut || !isWhole },
  });
}
