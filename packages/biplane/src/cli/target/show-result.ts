import type { ResourceContents, ToolResult } from "@biplane/core/client";
import { cleanLine, cleanText } from "../terminal/clean-text.ts";
import { label } from "../terminal/label.ts";
import { isRecord } from "@biplane/core/internal";

/** A result as text for the terminal. Images and other binary parts are summarized. */
export function showResult({ content, structuredContent }: ToolResult): string {
  if (content.length === 0) return structuredContent === undefined ? "(empty result)" : formatJson(structuredContent);
  return content.map(showContent).join("\n");
}

/** One part of a result or prompt. Servers may send anything. */
export function showContent(part: unknown): string {
  if (!isRecord(part)) return formatJson(part);
  switch (part["type"]) {
    case "text":
      return cleanText(label(part["text"]));
    case "image":
    case "audio":
      return `[${cleanLine(`${part["type"]}, ${label(part["mimeType"])}, ${size(part["data"])}`)}]`;
    case "resource":
      return isRecord(part["resource"]) ? showResource(part["resource"] as ResourceContents) : formatJson(part);
    case "resource_link": {
      const description = part["description"] === undefined ? "" : `: ${label(part["description"])}`;
      return cleanLine(`${label(part["name"])} <${label(part["uri"])}>${description}`);
    }
    default:
      return formatJson(part);
  }
}

/** A resource's URI and text, or the size of its binary data. */
export function showResource({ uri, mimeType, text, blob }: ResourceContents): string {
  const title = cleanLine(`${uri}${mimeType === undefined ? "" : ` (${mimeType})`}`);
  return text === undefined ? `${title}\n[${size(blob)}]` : `${title}\n${cleanText(text)}`;
}

/** Indented JSON, escaped for the terminal. */
export function formatJson(value: unknown): string {
  return cleanText(JSON.stringify(value, undefined, 2) ?? "undefined");
}

function size(base64: unknown): string {
  const bytes = typeof base64 === "string" ? Math.floor((base64.replace(/=+$/, "").length * 3) / 4) : 0;
  return bytes < 1000 ? `${bytes} bytes` : `${(bytes / 1000).toFixed(1)} kB`;
}
