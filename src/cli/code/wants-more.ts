import type { Language } from "../../code/engine.ts";

/** Whether what was typed so far cannot be all: something is open, or a block of lines has not ended. */
export function wantsMore(text: string, language: Language): boolean {
  if (text.endsWith("\n\n")) return false; // two empty lines send whatever is there
  const { isOpen, hasBlock } = scan(text, language);
  if (isOpen || language === "javascript") return isOpen;
  return text.endsWith("\\") || (hasBlock && !text.endsWith("\n"));
}

/** Reads past strings and comments to the brackets. What it misjudges, two empty lines send. */
function scan(text: string, language: Language): { isOpen: boolean; hasBlock: boolean } {
  const open: string[] = [];
  let hasBlock = false;
  let before = "";
  for (let at = 0; at < text.length;) {
    const inTemplate = open.at(-1) === "`";
    const token = inTemplate ? templatePart(text, at) : tokenAt(text, at, { language, before });
    const word = text.slice(at, token.end);
    if (token.isUnended) return { isOpen: true, hasBlock };
    if (inTemplate && word === "`") open.pop();
    else if (word === "`") open.push(word);
    else if (word === "${" || (!inTemplate && /^[([{]$/.test(word))) open.push(word);
    else if (!inTemplate && /^[)\]}]$/.test(word)) open.pop();
    else if (word === ":" && open.length === 0 && /^[ \t]*(#.*)?(\n|$)/.test(text.slice(token.end))) hasBlock = true;
    if (token.counts) before = word;
    at = token.end;
  }
  return { isOpen: open.length > 0, hasBlock };
}

interface Token {
  readonly end: number;
  /** Whether it goes on beyond what was typed. */
  readonly isUnended?: boolean;
  /** Whether what comes next depends on it. */
  readonly counts: boolean;
}

function tokenAt(text: string, at: number, { language, before }: { language: Language; before: string }): Token {
  const isJavascript = language === "javascript";
  const [comment, strings] = isJavascript
    ? [/\/\/.*|\/\*(?:[^*]|\*(?!\/))*(\*\/)?/y, /"(?:[^"\\\n]|\\[^])*"?|'(?:[^'\\\n]|\\[^])*'?/y]
    : [/#.*/y, /("""|''')(?:[^\\]|\\[^])*?(?:\1|$)|"(?:[^"\\\n]|\\[^])*"?|'(?:[^'\\\n]|\\[^])*'?/y];
  const commented = match(comment, text, at);
  if (commented !== undefined)
    return {
      end: at + commented.length,
      counts: false,
      isUnended: commented.startsWith("/*") && !commented.endsWith("*/"),
    };
  const string = match(strings, text, at);
  if (string !== undefined)
    return { end: at + string.length, counts: true, isUnended: !isJavascript && isUnendedTriple(string) };
  const mayBeRegex = isJavascript && (/^[^\w$)\]}"'`]?$/.test(before) || /^(return|typeof|case)$/.test(before));
  const regex = mayBeRegex ? match(/\/(?![*/])(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\//y, text, at) : undefined;
  const word = regex ?? match(/[\w$]+|\s+/y, text, at) ?? text.charAt(at);
  return { end: at + word.length, counts: word.trim() !== "" };
}

function templatePart(text: string, at: number): Token {
  const part = match(/`|\$\{|(?:[^`\\$]|\\[^]|\$(?!\{))+/y, text, at) ?? text.charAt(at);
  return { end: at + part.length, counts: true };
}

function isUnendedTriple(string: string): boolean {
  const quotes = string.slice(0, 3);
  if (quotes !== '"""' && quotes !== "'''") return false;
  return string.length < 6 || !string.endsWith(quotes);
}

function match(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}
