import { isAscii, isUtf8, transcode } from "node:buffer";

/** Decodes UTF-8. Undefined if the bytes are not UTF-8. */
export function decodeText(bytes: Buffer): string | undefined {
  if (bytes.length < longBytes) {
    const text = bytes.toString();
    // What is not UTF-8 becomes U+FFFD, which is rarely in a text.
    return text.includes("\ufffd") && !isUtf8(bytes) ? undefined : text;
  }
  if (!isUtf8(bytes)) return undefined;
  // `toString` takes ten times as long for text in most scripts, which matters for megabytes.
  return isAscii(bytes) ? bytes.toString("latin1") : transcode(bytes, "utf8", "utf16le").toString("utf16le");
}

const longBytes = 16 * 1024;
