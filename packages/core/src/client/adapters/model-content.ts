import type { Content } from "../../tool/content.ts";
import type { ToolResult } from "../results.ts";

/** Content that models accept: text and images. */
export type ModelContent =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "image"; readonly data: string; readonly mimeType: string };

/** Converts a result for a model. Unsupported content becomes a text that names it. */
export function modelContent({ content, structuredContent }: ToolResult): ModelContent[] {
  if (content.length > 0) return content.map(partForModel);
  return [{ kind: "text", text: structuredContent === undefined ? "" : JSON.stringify(structuredContent) }];
}

function partForModel(part: Content): ModelContent {
  switch (part.type) {
    case "text":
      return { kind: "text", text: part.text };
    case "image":
      return imageForModel(part.data, part.mimeType);
    case "audio":
      return { kind: "text", text: `[audio, ${part.mimeType}]` };
    case "resource": {
      const { resource } = part;
      if ("text" in resource) return { kind: "text", text: resource.text };
      return imageForModel(resource.blob, resource.mimeType ?? "application/octet-stream", resource.uri);
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

function imageForModel(data: string, mimeType: string, uri?: string): ModelContent {
  if (imageTypes.has(mimeType)) return { kind: "image", data, mimeType };
  return { kind: "text", text: `[${mimeType}${uri === undefined ? "" : ` at ${uri}`}]` };
}

const imageTypes: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
