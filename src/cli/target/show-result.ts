import type { ResourceContents, ToolResult } from "../../client/results.ts";
import { isObject } from "../../protocol/rpc.ts";
import { cleanLine, cleanText } from "../terminal/clean-text.ts";
import { wordOf } from "../terminal/word-of.ts";

/** A result for a person to read: texts as they are, and a word on what is no text. */
export function showResult({ content, structuredContent }: ToolResult): string {
  if (content.length === 0) return structuredContent === undefined ? "(nothing)" : showJson(structuredContent);
  return content.map(showContent).join("\n");
}

/** One part of a result or a prompt. Servers may send anything. */
export function showContent(part: unknown): string {
  if (!isObject(part)) return showJson(part);
  switch (part["type"]) {
    case "text":
      return cleanText(wordOf(part["text"]));
    case "image":
    case "audio":
      return `[${cleanLine(`${part["type"]}, ${wordOf(part["mimeType"])}, ${size(part["data"])}`)}]`;
    case "resource":
      return isObject(part["resource"]) ? showResource(part["resource"] as ResourceContents) : showJson(part);
    case "resource_link": {
      const description = part["description"] === undefined ? "" : `: ${wordOf(part["description"])}`;
      return cleanLine(`${wordOf(part["name"])} <${wordOf(part["uri"])}>${description}`);
    }
    default:
      return showJson(part);
  }
}

/** What a resource holds. */
export function showResource({ uri, mimeType, text, blob }: ResourceContents): string {
  const title = cleanLine(`${uri}${mimeType === undefined ? "" : ` (${mimeType})`}`);
  return text === undefined ? `${title}\n[${size(blob)}]` : `${title}\n${cleanText(text)}`;
}

/** JSON that is shown on several lines and does nothing to the terminal. */
export function showJson(value: unknown): string {
  return cleanText(JSON.stringify(value, undefined, 2) ?? "nothing");
}

function size(base64: unknown): string {
  const bytes = typeof base64 === "string" ? Math.floor((base64.replace(/=+$/, "").length * 3) / 4) : 0;
  return bytes < 1000 ? `${bytes} bytes` : `${(bytes / 1000).toFixed(1)} kB`;
}
