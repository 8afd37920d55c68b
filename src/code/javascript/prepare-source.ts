import type { transform } from "sucrase";

/**
 * What an agent wrote, made fit for a context that lives on: `const` and `let` at the top become `var`, so that a later
 * action may declare the same name again. Code that cannot be read is left as it is; the engine says what is wrong.
 */
export async function keepDeclarations(code: string): Promise<string> {
  if (!/\b(?:const|let)\b/.test(code)) return code;
  const parsing = await loadParser();
  let tokens: readonly Token[];
  try {
    ({ tokens } = parsing.parse(code, false, false, false));
  } catch {
    return code;
  }
  let kept = "";
  let from = 0;
  for (const [at, { start, end, scopeDepth, identifierRole }] of tokens.entries()) {
    const word = code.slice(start, end);
    if (scopeDepth !== 0 || identifierRole !== null || (word !== "const" && word !== "let")) continue;
    const [name, after] = [tokens[at + 1], tokens[at + 2]];
    if (!name || !isTarget(code, name)) continue;
    kept += `${code.slice(from, start)}var`;
    from = end;
    // A variable declared again begins anew.
    if (word === "let" && name.identifierRole === topLevel && after && code.slice(after.start, after.end) === ";") {
      kept += `${code.slice(from, name.end)} = undefined`;
      from = name.end;
    }
  }
  return kept + code.slice(from);
}

/** The same code without types; undefined where it is no TypeScript either. */
export async function withoutTypes(code: string): Promise<string | undefined> {
  const loaded = await (sucrase ??= import("sucrase"));
  try {
    return loaded.transform(code, { transforms: ["typescript"], disableESTransforms: true }).code;
  } catch {
    return undefined;
  }
}

/** The same code as the body of a function, for a `return` at the top. Lines stay where they were. */
export function asFunction(code: string): string {
  return `(async () => {${code}\n})()`;
}

function isTarget(code: string, { start, end, identifierRole }: Token): boolean {
  const word = code.slice(start, end);
  return word === "{" || word === "[" || identifierRole === topLevel;
}

/** Sucrase's word for a name declared at the top. */
const topLevel = 2;

interface Token {
  readonly start: number;
  readonly end: number;
  readonly scopeDepth: number;
  readonly identifierRole: number | null;
}

interface Parser {
  parse(code: string, isJsx: boolean, isTypeScript: boolean, isFlow: boolean): { readonly tokens: readonly Token[] };
}

/** Sucrase's parser has no types of its own where it lies. */
function loadParser(): Promise<Parser> {
  const path = "sucrase/dist/parser/index.js";
  return (parser ??= import(path) as Promise<Parser>);
}

let parser: Promise<Parser> | undefined;
let sucrase: Promise<{ transform: typeof transform }> | undefined;
