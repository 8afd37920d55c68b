import type { Token } from "../../components/tokenize.ts";

/** A piece of a line of rules. */
export interface RuleToken {
  readonly kind: Token["kind"] | "allow" | "ask" | "deny";
  readonly text: string;
}

/**
 * The tokens of each line of YAML, which concatenate to the line. The kinds are for colours only, so mistakes in the
 * YAML are not found. Each character is looked at a fixed number of times.
 */
export function highlightRules(source: string): readonly (readonly RuleToken[])[] {
  const open: Open = { quote: undefined, block: undefined, depth: 0 };
  return source.split("\n").map((line) => tokensOf(line, open));
}

/** What continues on the next line. */
interface Open {
  quote: Quote | undefined;
  /** Lines that are indented more than this belong to the text after `|` or `>`. */
  block: number | undefined;
  /** Brackets and braces that are not closed. */
  depth: number;
}

type Quote = '"' | "'";

function tokensOf(line: string, open: Open): readonly RuleToken[] {
  const tokens: RuleToken[] = [];
  let taken = 0;
  const take = (kind: RuleToken["kind"], to: number) => {
    if (to > taken) tokens.push({ kind, text: line.slice(taken, to) });
    taken = to;
  };
  const indent = afterSpace(line, 0);
  if (open.block !== undefined) {
    if (indent === line.length || indent > open.block) {
      take("string", line.length);
      return tokens;
    }
    open.block = undefined;
  }
  if (open.quote !== undefined) take("string", endOfString(line, 0, open.quote, open));
  let parent = indent;
  while (taken < line.length) {
    const at = afterSpace(line, taken);
    const first = line[at];
    if (at > taken || first === undefined) take("plain", at);
    else if (first === "#" && isSpace(line[at - 1])) take("comment", line.length);
    else if (first === '"' || first === "'") {
      const end = endOfString(line, at + 1, first, open);
      const isKey = open.quote === undefined && line[afterSpace(line, end)] === ":";
      if (isKey) parent = at;
      take(isKey ? "key" : "string", end);
    } else if ("[]{}".includes(first)) {
      open.depth = "[{".includes(first) ? open.depth + 1 : Math.max(0, open.depth - 1);
      take("plain", at + 1);
    } else if (",:".includes(first)) take("plain", at + 1);
    else if (first === "-" && isSpace(line[at + 1])) {
      parent = at;
      take("plain", at + 1);
    } else if (open.depth === 0 && blockStart.test(line.slice(at, at + 4))) {
      open.block = parent;
      take("plain", endOfWords(line, at, false));
    } else {
      const end = endOfWords(line, at, open.depth > 0);
      const isKey = line[afterSpace(line, end)] === ":";
      if (isKey) parent = at;
      take(kindOfWords(line.slice(at, end), isKey), end);
    }
  }
  return tokens;
}

/** After the closing quote, or the end of the line if the string continues on the next one. */
function endOfString(line: string, from: number, quote: Quote, open: Open): number {
  open.quote = quote;
  for (let at = from; at < line.length; at += 1) {
    if (quote === '"' && line[at] === "\\") at += 1;
    else if (quote === "'" && line[at] === "'" && line[at + 1] === "'") at += 1;
    else if (line[at] === quote) {
      open.quote = undefined;
      return at + 1;
    }
  }
  return line.length;
}

/** After the last word of text without quotes, which a colon, a comment or, in brackets, a comma ends. */
function endOfWords(line: string, from: number, isInBrackets: boolean): number {
  let end = from + 1;
  for (let at = from; at < line.length; at += 1) {
    const [here = "", next] = [line[at], line[at + 1]];
    if (isInBrackets && ",[]{}".includes(here)) break;
    if (here === ":" && (isSpace(next) || (isInBrackets && ",[]{}".includes(next ?? "")))) break;
    if (here === "#" && at > from && isSpace(line[at - 1])) break;
    if (!isSpace(here)) end = at + 1;
  }
  return end;
}

function kindOfWords(text: string, isKey: boolean): RuleToken["kind"] {
  if (text === "allow" || text === "ask" || text === "deny") return text;
  if (isKey) return "key";
  if (/^[-+]?\d[\d_]*(?:\.\d+)?(?:[eE][-+]?\d+)?$/.test(text)) return "number";
  return /^(?:true|false|null|~)$/i.test(text) ? "keyword" : "plain";
}

function afterSpace(line: string, from: number): number {
  let at = from;
  while (line[at] === " " || line[at] === "\t") at += 1;
  return at;
}

/** The end of a line counts as space. */
function isSpace(character: string | undefined): boolean {
  return character === undefined || character === " " || character === "\t";
}

const blockStart = /^[|>][-+\d]{0,2}(?:\s|$)/;
