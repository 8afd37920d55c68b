import { BiplaneError } from "../errors.ts";

/** A URI with holes, as RFC 6570 writes them: `{id}` stops at a slash, `{+path}` does not. */
export interface UriTemplate {
  readonly text: string;
  readonly variables: readonly string[];
  /** The values of the variables, or undefined where the URI does not fit. */
  match(uri: string): Record<string, string> | undefined;
}

export function compileTemplate(text: string): UriTemplate {
  const variables: string[] = [];
  const pattern = text
    .split(/(\{[^{}]*\})/)
    .map((part, index) => (index % 2 === 0 ? escape(part) : hole(part, text, variables)))
    .join("");
  const regex = new RegExp(`^${pattern}$`);
  return {
    text,
    variables,
    match(uri) {
      const found = uri.length > 8192 ? null : regex.exec(uri);
      if (!found) return undefined;
      return Object.fromEntries(variables.map((name, index) => [name, decode(found[index + 1] ?? "")]));
    },
  };
}

function hole(part: string, text: string, variables: string[]): string {
  const found = /^\{(\+?)([A-Za-z_][A-Za-z0-9_]*)\}$/.exec(part);
  const name = found?.[2];
  if (name === undefined || variables.includes(name)) {
    throw new BiplaneError(
      "INVALID_DEFINITION",
      `URI template ${text}: cannot use ${part}; write {name} or {+name}, each once`,
    );
  }
  variables.push(name);
  return found?.[1] === "+" ? "(.+)" : "([^/?#]+)";
}

function escape(literal: string): string {
  return literal.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
