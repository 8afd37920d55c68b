import type { AudioContent, ImageContent } from "./content.ts";

/** A part of a result: a picture, as bytes or base64. */
export const image = (data: Uint8Array | string, mimeType: string): ImageContent => ({
  type: "image",
  data: base64(data),
  mimeType,
});
/** A part of a result: sound, as bytes or base64. */
export const audio = (data: Uint8Array | string, mimeType: string): AudioContent => ({
  type: "audio",
  data: base64(data),
  mimeType,
});

/** Strings must already be base64. */
function base64(data: Uint8Array | string): string {
  return typeof data === "string"
    ? data
    : Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("base64");
}
