/** Which names of files and folders tools can use. */
export interface NameRules {
  /** True for names hidden from tools. Receives the output of `foldName`. */
  readonly isProtected: (folded: string) => boolean;
  readonly platform?: NodeJS.Platform;
}

/** Prefix of temporary files. Those left after a crash are hidden from tools. */
export const draftPrefix = ".biplane-draft-";

/** Why a name is not allowed. Undefined if it is. */
export function nameFault(name: string, rules: NameRules): string | undefined {
  if (hostileCharacters.test(name)) return "contains invisible characters";
  if (name.includes("\\")) return 'contains a backslash. Separate folders with "/"';
  if (looksLikeDotsOrSlashes(name)) return "contains look-alikes of dots or slashes";
  if (Buffer.byteLength(name) > maxNameBytes) return `has a name of more than ${maxNameBytes} bytes`;
  const folded = foldName(name);
  if (folded.startsWith(draftPrefix) || rules.isProtected(folded)) return "is hidden from tools";
  return (rules.platform ?? process.platform) === "win32" ? windowsFault(name) : undefined;
}

/** Normalizes a name as the most lenient file system would compare it. */
export function foldName(name: string): string {
  return name
    .normalize("NFKC")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .toLowerCase()
    .replace(/(?<=[^. ])[. ]+$/, "");
}

/** Protects names in every spelling, including their Windows short names. */
export function protecting(names: readonly string[]): NameRules["isProtected"] {
  const folded = new Set(names.map(foldName));
  const short = new Set(names.map((name) => foldName(name).replaceAll(".", "").slice(0, 6)));
  return (name) => folded.has(name) || (/~\d+$/.test(name) && short.has(name.replace(/~\d+$/, "")));
}

const maxNameBytes = 255;

/** Control characters, lone surrogates, line separators, and bidirectional marks. */
const hostileCharacters = /[\p{Cc}\p{Cs}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

function looksLikeDotsOrSlashes(name: string): boolean {
  const plain = name.normalize("NFKC").replace(/\p{Default_Ignorable_Code_Point}/gu, "");
  return plain === "" || plain === "." || plain === ".." || /[/\\∕⧵⧸]/.test(plain);
}

function windowsFault(name: string): string | undefined {
  if (/[<>:"|?*]/.test(name)) return "contains a character that Windows reserves";
  if (/[. ]$/.test(name)) return "ends in a dot or a space, which Windows drops";
  return /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(name) ? "is a Windows device name" : undefined;
}
