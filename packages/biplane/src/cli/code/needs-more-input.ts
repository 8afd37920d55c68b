import type { Language } from "../../code/engine.ts";

/** True if a bracket, string or block is still open. */
export function needsMoreInput(text: string, language: Language): boolean {
  if (text.endsWith("\n\n")) return false; // two empty lines always run the input
  const { isOpen, hasBlock } = scan(text, language);
  if (isOpen || language === "javascript") return isOpen;
  return text.endsWith("\\") || (hasBlock && !text.endsWith("\n"));
}

/** Finds open brackets outside strings and comments. An approximation: two empty lines override it. */
function scan(text: string, language: Language): { isOpen: boolean; hasBlock: boolean } {
  const open: string[] = [];
  let hasBlock = false;
  let before = "";
  for (let at = 0; at < text.length;) {
    const inTemplate = open.at(-1) === "`";
    const token = inTemplate ? templatePart(text, at) : tokenAt(text, at, { language, before });
    const lexeme = text.slice(at, token.end);
    if (token.isUnended) return { isOpen: true, hasBlock };
    if (inTemplate && lexeme === "`") open.pop();
    else if (lexeme === "`") open.push(lexeme);
    else if (lexeme === "${" || (!inTemplate && /^[([{]$/.test(lexeme))) open.push(lexeme);
    else if (!inTemplate && /^[)\]}]$/.test(lexeme)) open.pop();
    else if (lexeme === ":" && open.length === 0 && /^[ \t]*(#.*)?(\n|$)/.test(text.slice(token.end))) hasBlock = true;
    if (token.counts) before = lexeme;
    at = token.end;
  }
  return { isOpen: open.length > 0, hasBlock };
}

interface Token {
  readonly end: number;
  /** True for a string or comment without an end. */
  readonly isUnended?: boolean;
  /** False for whitespace and comments. */
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
  const lexeme = regex ?? match(/[\w$]+|\s+/y, text, at) ?? text.charAt(at);
  return { end: at + lexeme.length, counts: lexeme.trim() !== "" };
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
