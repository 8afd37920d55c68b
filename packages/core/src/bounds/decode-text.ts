import { isAscii, isUtf8, transcode } from "node:buffer";

/** Decodes UTF-8. Undefined if the bytes are not UTF-8. */
export function decodeText(bytes: Buffer): string | undefined {
  if (!isUtf8(bytes)) return undefined;
  // `toString` takes ten times as long for text in most scripts, which matters for megabytes.
  if (bytes.length < longBytes) return bytes.toString();
  return isAscii(bytes) ? bytes.toString("latin1") : transcode(bytes, "utf8", "utf16le").toString("utf16le");
}

const longBytes = 16 * 1024;
