import type { Reply } from "@biplane/core";
import { textReply } from "../shared/pack-tool.ts";
import { truncateText } from "../web/truncate-text.ts";
import type { ReadPage } from "./tab.ts";

/** Formats a part of a page with the elements in that part. */
export function showPage(page: ReadPage, options: { url: string; offset: number; length: number }): Reply {
  const { url, offset, length } = options;
  const { title, isWhole } = page;
  const { text: content, isCut } = truncateText(page.content.slice(offset), length);
  const end = offset + content.length;
  const elements = page.elements.filter(({ at }) => at >= offset && at < end).map(({ at: _at, ...element }) => element);
  const head = `${title === "" ? "" : `Title: ${title}\n`}URL: ${url}\n\n`;
  const tail = isCut
    ? `\n\n[Content truncated; continue with offset ${end}]`
    : isWhole
      ? ""
      : "\n\n[Content truncated]";
  return textReply(head + content + tail, { url, title, content, elements, truncated: isCut || !isWhole });
}
