import { TextDecoder } from "node:util";
import { Turns } from "@biplane/core/internal";

/**
 * Decodes a body by the first charset found: byte order mark, Content-Type header, markup. Default: UTF-8. Some charsets
 * take long, so a body is decoded in parts, and other work gets its turn in between.
 */
export async function decodeResponseText(body: Uint8Array, contentType: string): Promise<string> {
  const label = markOf(body) ?? charsetOf(contentType) ?? charsetInside(body, contentType) ?? "utf-8";
  const decoder = decoderOf(label);
  const turns = new Turns();
  const parts: string[] = [];
  for (let from = 0; from < body.length; from += partBytes) {
    const part = decoder.decode(body.subarray(from, from + partBytes), { stream: from + partBytes < body.length });
    parts.push(decoder.encoding === "windows-1252" ? part.replaceAll(/[\u0080-\u009f]/g, quoteOf) : part);
    await turns.next();
  }
  return parts.join("");
}

const partBytes = 64 * 1024;

/** Node 20 decodes windows-1252 as latin1, which lacks these characters. */
function quoteOf(character: string): string {
  return highQuotes[character.charCodeAt(0) - 0x80] ?? character;
}

const highQuotes = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ";

function markOf(body: Uint8Array): string | undefined {
  const [first, second, third] = body;
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  return undefined;
}

function charsetOf(contentType: string): string | undefined {
  return /;\s*charset\s*=\s*"?([\w.:-]{1,40})/i.exec(contentType)?.[1];
}

/** The charset of a `<meta>` tag or an XML declaration near the beginning. */
function charsetInside(body: Uint8Array, contentType: string): string | undefined {
  if (!/html|xml/i.test(contentType)) return undefined;
  const beginning = new TextDecoder("latin1").decode(body.subarray(0, 2048));
  return /<(?:meta|\?xml)[^>]{0,300}?(?:charset|encoding)\s*=\s*["']?([\w.:-]{1,40})/i.exec(beginning)?.[1];
}

function decoderOf(label: string): TextDecoder {
  try {
    return new TextDecoder(label);
  } catch {
    return new TextDecoder(); // unknown charset
  }
}
