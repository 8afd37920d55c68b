/**
 * Turns top-level `const` and `let` into `var`, so that a later action can declare the same name again. Code that does
 * not parse is returned unchanged, and the engine reports its syntax error.
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
    const keyword = code.slice(start, end);
    if (scopeDepth !== 0 || identifierRole !== null || (keyword !== "const" && keyword !== "let")) continue;
    const [name, after] = [tokens[at + 1], tokens[at + 2]];
    if (!name || !isTarget(code, name)) continue;
    kept += `${code.slice(from, start)}var`;
    from = end;
    // Declaring a variable again resets it.
    if (keyword === "let" && name.identifierRole === topLevel && after && code.slice(after.start, after.end) === ";") {
      kept += `${code.slice(from, name.end)} = undefined`;
      from = name.end;
    }
  }
  return kept + code.slice(from);
}

/** Removes TypeScript types. Undefined if the code is not TypeScript either. */
export async function withoutTypes(code: string): Promise<string | undefined> {
  const { transform } = await import("sucrase");
  try {
    return transform(code, { transforms: ["typescript"], disableESTransforms: true }).code;
  } catch {
    return undefined;
  }
}

/** Wraps the code in a function, which allows a top-level `return`. Line numbers stay the same. */
export function asFunction(code: string): string {
  return `(async () => {${code}\n})()`;
}

function isTarget(code: string, { start, end, identifierRole }: Token): boolean {
  const keyword = code.slice(start, end);
  return keyword === "{" || keyword === "[" || identifierRole === topLevel;
}

/** Sucrase's `IdentifierRole.TopLevelDeclaration`. */
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

/** Sucrase publishes no types for its parser. */
function loadParser(): Promise<Parser> {
  const path = "sucrase/dist/parser/index.js";
  return import(path) as Promise<Parser>;
}
