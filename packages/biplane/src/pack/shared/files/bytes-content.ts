import { audio, embedded, image } from "@biplane/core";
import type { Content } from "@biplane/core";
import { mediaTypeOf } from "./media-type.ts";

/** Binary data as MCP content: an image, audio or an embedded resource. */
export function bytesContent(bytes: Uint8Array, shown: string): Content {
  const mimeType = mediaTypeOf(shown);
  if (mimeType.startsWith("image/")) return image(bytes, mimeType);
  if (mimeType.startsWith("audio/")) return audio(bytes, mimeType);
  const uri = `file://${shown.split("/").map(encodeURIComponent).join("/")}`;
  return embedded({ uri, mimeType, blob: Buffer.from(bytes).toString("base64") });
}
