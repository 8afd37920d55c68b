import { decodeText } from "@biplane/core/internal";

/** Decodes UTF-8. Undefined if the bytes are not valid UTF-8 or contain NUL. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  return decodeText(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
}

/**
 * True if more than one character in ten is a control character other than white space and escape. Such data is not
 * text, and JSON has six characters for each of them.
 */
export function isMostlyControl(text: string): boolean {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x20 && (code < 0x08 || code > 0x0d) && code !== 0x1b) count++;
  }
  return count * 10 > text.length;
}
