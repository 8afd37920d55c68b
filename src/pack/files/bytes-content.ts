import { audio, embedded, image } from "../../tool/content.ts";
import type { Content } from "../../tool/content.ts";
import { mediaTypeOf } from "./media-type.ts";

/** Bytes that are no text, as something a host can show. */
export function bytesContent(bytes: Uint8Array, shown: string): Content {
  const mimeType = mediaTypeOf(shown);
  if (mimeType.startsWith("image/")) return image(bytes, mimeType);
  if (mimeType.startsWith("audio/")) return audio(bytes, mimeType);
  const uri = `file://${shown.split("/").map(encodeURIComponent).join("/")}`;
  return embedded({ uri, mimeType, blob: Buffer.from(bytes).toString("base64") });
}
