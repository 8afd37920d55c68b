/** Ways in which a tool may spell a secret, written with the platform's own functions where it has them. */
export interface Spelling {
  readonly text: string;
  /** What must be left of it: its parts that are not the secret's. */
  readonly before?: string;
  readonly after?: string;
}

export type Encoding = (value: string, dice: Dice) => Spelling;

/** Answers that decide what an encoding leaves open. */
export interface Dice {
  flip(): boolean;
  bytes(): Uint8Array;
}

export const encodings: Readonly<Record<string, Encoding>> = {
  "as it is": (value) => ({ text: value }),
  hex: (value, dice) => ({ text: anyCase(Buffer.from(value).toString("hex"), /[a-f]/g, dice) }),
  base64: (value) => ({ text: Buffer.from(value).toString("base64") }),
  "base64 for URLs": (value) => ({ text: Buffer.from(value).toString("base64url") }),
  "base64 in a URL": (value) => ({
    text: Buffer.from(value).toString("base64").replace(/=+$/, "").replaceAll("+", "%2B").replaceAll("/", "%2F"),
  }),
  "within base64": (value, dice) => within("base64", value, dice),
  "within base64 for URLs": (value, dice) => within("base64url", value, dice),
  encodeURIComponent: (value, dice) => ({ text: anyPercentCase(encodeURIComponent(value), dice) }),
  encodeURI: (value, dice) => ({ text: anyPercentCase(encodeURI(value), dice) }),
  "+ for space": (value) => ({ text: encodeURIComponent(value).replaceAll("%20", "+") }),
  URLSearchParams: (value) => ({ text: new URLSearchParams({ "": value }).toString().slice(1) }),
  "JSON once": (value) => ({ text: json(value) }),
  "JSON twice": (value) => ({ text: json(json(value)) }),
  "ASCII JSON once": (value, dice) => ({ text: ascii(json(value), dice) }),
  "ASCII JSON twice": (value, dice) => ({ text: json(ascii(json(value), dice)) }),
  "PHP's JSON": (value) => ({ text: ascii(json(value), never).replaceAll("/", "\\/") }),
  HTML: (value) => ({
    text: value.replace(/[&<>"']/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c] ?? "&#39;"),
  }),
};

const never: Dice = { flip: () => false, bytes: () => new Uint8Array() };

function within(encoding: "base64" | "base64url", value: string, dice: Dice): Spelling {
  const [left, secret, right] = [dice.bytes(), Buffer.from(value), dice.bytes()];
  const text = Buffer.concat([left, secret, right]).toString(encoding);
  return {
    text,
    before: text.slice(0, Math.floor((left.length * 8) / 6)),
    after: right.length === 0 ? "" : text.slice(Math.ceil(((left.length + secret.length) * 8) / 6)),
  };
}

function anyPercentCase(text: string, dice: Dice): string {
  return text.replace(/%../g, (escape) => anyCase(escape, /[A-F]/g, dice));
}

function anyCase(text: string, which: RegExp, dice: Dice): string {
  return text.replace(which, (letter) =>
    dice.flip() ? (letter < "a" ? letter.toLowerCase() : letter.toUpperCase()) : letter,
  );
}

function json(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}

function ascii(text: string, dice: Dice): string {
  return text.replace(
    /[^ -~]/g,
    (unit) => `\\u${anyCase(unit.charCodeAt(0).toString(16), /[a-f]/g, dice).padStart(4, "0")}`,
  );
}
