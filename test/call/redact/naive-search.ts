import { encodings, type Dice } from "./encodings.ts";

/** A search for a value in any of its forms that knows nothing of how the redactor works. */
export function searchFor(value: string): (text: string) => boolean {
  const spelled = Object.entries(encodings).filter(([name]) => !/base64|hex/.test(name));
  const spellings = new Set(spelled.map(([, encoding]) => inOneCase(encoding(value, plain).text)));
  const hex = Buffer.from(value).toString("hex");
  const cores = base64Cores(value);
  return (text) => {
    const tidy = inOneCase(text);
    const standard = text.replaceAll("-", "+").replaceAll("_", "/");
    return (
      [...spellings].some((spelling) => tidy.includes(spelling)) ||
      text.toLowerCase().includes(hex) ||
      cores.some((core) => standard.includes(core))
    );
  };
}

/** Whether a value is a part of what another is written as. */
export function overlaps(search: (text: string) => boolean, other: string): boolean {
  return Object.values(encodings).some((encoding) => search(encoding(other, plain).text));
}

const plain: Dice = { flip: () => false, bytes: () => new Uint8Array() };

function inOneCase(text: string): string {
  return text.replace(/%..|\\u..../g, (escape) => escape.toLowerCase());
}

/** The digits that stay the same whatever bytes stand around the value. */
function base64Cores(value: string): string[] {
  return [0, 1, 2].map((skipped) => {
    const around = (byte: number) =>
      Buffer.concat([Buffer.alloc(skipped, byte), Buffer.from(value), Buffer.alloc(2, byte)]).toString("base64");
    const [low, high] = [around(0), around(255)];
    const first = low.split("").findIndex((digit, at) => digit === high[at]);
    const count = Math.floor(((skipped + Buffer.byteLength(value)) * 8) / 6) - Math.ceil((skipped * 8) / 6);
    return low.slice(first, first + count);
  });
}
