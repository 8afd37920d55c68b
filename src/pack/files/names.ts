/** Which names of files and folders tools may use. */
export interface NameRules {
  /** Names kept from tools, given as `foldName` spells them. */
  readonly isProtected: (folded: string) => boolean;
  readonly platform?: NodeJS.Platform;
}

/** Drafts of files being written; what is left of them after a crash is never shown. */
export const draftPrefix = ".biplane-draft-";

/** What is wrong with one name of a path, or nothing. */
export function nameFault(name: string, rules: NameRules): string | undefined {
  if (hostileCharacters.test(name)) return "holds characters that cannot be seen";
  if (name.includes("\\")) return 'holds a backslash: folders are parted by "/"';
  if (looksLikeSteps(name)) return "holds look-alikes of dots or slashes";
  if (Buffer.byteLength(name) > longestName) return `has a name of more than ${longestName} bytes`;
  const folded = foldName(name);
  if (folded.startsWith(draftPrefix) || rules.isProtected(folded)) return "is kept from tools";
  return (rules.platform ?? process.platform) === "win32" ? windowsFault(name) : undefined;
}

/** A name as the least particular file system would compare it. */
export function foldName(name: string): string {
  return name
    .normalize("NFKC")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .toLowerCase()
    .replace(/(?<=[^. ])[. ]+$/, "");
}

/** Protects these names in every spelling, and the short names that Windows makes of them. */
export function protecting(names: readonly string[]): NameRules["isProtected"] {
  const folded = new Set(names.map(foldName));
  const short = new Set(names.map((name) => foldName(name).replaceAll(".", "").slice(0, 6)));
  return (name) => folded.has(name) || (/~\d+$/.test(name) && short.has(name.replace(/~\d+$/, "")));
}

const longestName = 255;

/** Controls, halves of characters, line ends, and marks that turn the direction of writing. */
const hostileCharacters = /[\p{Cc}\p{Cs}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

function looksLikeSteps(name: string): boolean {
  const plain = name.normalize("NFKC").replace(/\p{Default_Ignorable_Code_Point}/gu, "");
  return plain === "" || plain === "." || plain === ".." || /[/\\∕⧵⧸]/.test(plain);
}

function windowsFault(name: string): string | undefined {
  if (/[<>:"|?*]/.test(name)) return "holds a character that Windows keeps for itself";
  if (/[. ]$/.test(name)) return "ends in a dot or a space, which Windows drops";
  return /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(name) ? "is the name of a device" : undefined;
}
