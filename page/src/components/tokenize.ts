export type Language = "starlark" | "python" | "javascript" | "json" | "yaml" | "shell" | "text";

export interface Token {
  readonly kind: "plain" | "comment" | "string" | "number" | "keyword" | "name" | "key";
  readonly text: string;
}

/** Splits source into tokens that concatenate to the source. Unrecognized text stays plain. */
export function tokenize(source: string, language: Language): readonly Token[] {
  const rule = rules[language];
  if (!rule) return source === "" ? [] : [{ kind: "plain", text: source }];
  const tokens: Token[] = [];
  const pattern = new RegExp(rule.pattern);
  let from = 0;
  for (let match = pattern.exec(source); match; match = pattern.exec(source)) {
    const kind = kindOf(match.groups ?? {}, rule.keywords);
    if (kind === undefined) continue;
    if (match.index > from) tokens.push({ kind: "plain", text: source.slice(from, match.index) });
    tokens.push({ kind, text: match[0] });
    from = match.index + match[0].length;
  }
  if (from < source.length) tokens.push({ kind: "plain", text: source.slice(from) });
  return tokens;
}

/** The tokens of each line. */
export function tokenizeLines(source: string, language: Language): readonly (readonly Token[])[] {
  const lines: Token[][] = [[]];
  for (const { kind, text } of tokenize(source, language)) {
    for (const [at, part] of text.split("\n").entries()) {
      if (at > 0) lines.push([]);
      if (part !== "") lines.at(-1)?.push({ kind, text: part });
    }
  }
  return lines;
}

function kindOf(groups: Readonly<Record<string, string>>, keywords: ReadonlySet<string>): Token["kind"] | undefined {
  if (groups["comment"] !== undefined) return "comment";
  if (groups["key"] !== undefined) return "key";
  if (groups["string"] !== undefined) return "string";
  if (groups["number"] !== undefined) return "number";
  if (groups["call"] !== undefined) return keywords.has(groups["call"]) ? "keyword" : "name";
  return keywords.has(groups["word"] ?? "") ? "keyword" : undefined;
}

interface Rule {
  readonly pattern: RegExp;
  readonly keywords: ReadonlySet<string>;
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

/** Unterminated strings extend to the end of the line, or of the text if they can span lines. */
const number = /(?<number>\b(?:0[xXoObB][\da-fA-F_]+|\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?)\b)/.source;
const quoted = /(?:"(?:[^"\\\n]|\\.)*(?:"|$)|'(?:[^'\\\n]|\\.)*(?:'|$))/m.source;
const word = /(?<call>\b[A-Za-z_$][\w$]*(?=\())|(?<word>\b[A-Za-z_$][\w$]*)/.source;

const pythonic: Rule = {
  pattern: new RegExp(
    `(?<comment>#[^\\n]*)|(?<string>[rbfRBF]{0,2}(?:"""[^]*?(?:"""|$(?![^]))|'''[^]*?(?:'''|$(?![^]))|${quoted}))|${number}|${word}`,
    "gm",
  ),
  keywords: words(
    "and as assert async await break class continue def del elif else except finally for from global if import in is lambda load nonlocal not or pass raise return try while with yield True False None",
  ),
};

const rules: Partial<Readonly<Record<Language, Rule>>> = {
  starlark: pythonic,
  python: pythonic,
  javascript: {
    pattern: new RegExp(
      `(?<comment>//[^\\n]*|/\\*[^]*?(?:\\*/|$(?![^])))|(?<string>${quoted}|\`(?:[^\`\\\\]|\\\\[^])*(?:\`|$(?![^])))|${number}|${word}`,
      "gm",
    ),
    keywords: words(
      "async await break case catch class const continue default delete do else export extends finally for from function if import in instanceof let new of return static super switch this throw try typeof var void while with yield true false null undefined interface type",
    ),
  },
  json: {
    pattern: new RegExp(
      `(?<key>"(?:[^"\\\\\\n]|\\\\.)*"(?=\\s*:))|(?<string>"(?:[^"\\\\\\n]|\\\\.)*(?:"|$))|(?<number>-?\\b\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d+)?\\b)|(?<word>\\b[a-z]+\\b)`,
      "gm",
    ),
    keywords: words("true false null"),
  },
  yaml: {
    pattern: new RegExp(
      `(?<comment>(?<=^|\\s)#[^\\n]*)|(?<key>[\\w.-]+(?=:(?:\\s|$)))|(?<string>${quoted})|${number}|${word}`,
      "gm",
    ),
    keywords: words("true false null"),
  },
  shell: {
    pattern: new RegExp(
      `(?<comment>(?<=^|\\s)#[^\\n]*)|(?<string>"(?:[^"\\\\]|\\\\.)*"|'[^']*')|(?<key>(?<=\\s)--?[A-Za-z][\\w-]*)|${word}`,
      "gm",
    ),
    keywords: words("curl npx node python pip export cd biplane npm"),
  },
};
