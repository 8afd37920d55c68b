import { TextDecoder } from "node:util";

/** Bytes as text, by what says first which charset they are in: a byte order mark, the header, the page itself. */
export function decodeText(body: Uint8Array, contentType: string): string {
  const label = markOf(body) ?? charsetOf(contentType) ?? charsetInside(body, contentType) ?? "utf-8";
  const decoder = decoderOf(label);
  const text = decoder.decode(body);
  return decoder.encoding === "windows-1252" ? text.replaceAll(/[\u0080-\u009f]/g, quoteOf) : text;
}

/** Node 20 reads windows-1252 as if it were latin1, which has no quotation marks, dashes and euros. */
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

/** `<meta charset>`, `<meta content="…charset=">` or an XML declaration, near the beginning. */
function charsetInside(body: Uint8Array, contentType: string): string | undefined {
  if (!/html|xml/i.test(contentType)) return undefined;
  const beginning = new TextDecoder("latin1").decode(body.subarray(0, 2048));
  return /<(?:meta|\?xml)[^>]{0,300}?(?:charset|encoding)\s*=\s*["']?([\w.:-]{1,40})/i.exec(beginning)?.[1];
}

function decoderOf(label: string): TextDecoder {
  try {
    return new TextDecoder(label);
  } catch {
    return new TextDecoder(); // nobody knows the charset; UTF-8 is the best guess there is
  }
}
