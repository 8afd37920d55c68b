import type { Content } from "../../tool/content.ts";
import type { ToolResult } from "../results.ts";

/** What a model can be shown of a result: text and pictures, in the order they came. */
export type Shown =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "image"; readonly data: string; readonly mimeType: string };

/** A result for a model. What it cannot look at is named, and a result without content is its value. */
export function shown({ content, structuredContent }: ToolResult): Shown[] {
  if (content.length > 0) return content.map(shownPart);
  return [{ kind: "text", text: structuredContent === undefined ? "" : JSON.stringify(structuredContent) }];
}

function shownPart(part: Content): Shown {
  switch (part.type) {
    case "text":
      return { kind: "text", text: part.text };
    case "image":
      return picture(part.data, part.mimeType);
    case "audio":
      return { kind: "text", text: `[audio, ${part.mimeType}]` };
    case "resource": {
      const { resource } = part;
      if ("text" in resource) return { kind: "text", text: resource.text };
      return picture(resource.blob, resource.mimeType ?? "application/octet-stream", resource.uri);
    }
    case "resource_link":
      return {
        kind: "text",
        text: `[${part.name}](${part.uri})${part.description === undefined ? "" : `: ${part.description}`}`,
      };
    default:
      return { kind: "text", text: JSON.stringify(part) };
  }
}

function picture(data: string, mimeType: string, uri?: string): Shown {
  if (seenByModels.has(mimeType)) return { kind: "image", data, mimeType };
  return { kind: "text", text: `[${mimeType}${uri === undefined ? "" : ` at ${uri}`}]` };
}

const seenByModels: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
