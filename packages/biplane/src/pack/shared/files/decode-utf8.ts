import { decodeText } from "@biplane/core/internal";

/** Decodes UTF-8. Undefined if the bytes are not valid UTF-8 or contain NUL. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  return decodeText(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
}
