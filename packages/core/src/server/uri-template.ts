import { decodeUri } from "../decode-uri.ts";
import { BiplaneError } from "../errors.ts";

/** An RFC 6570 template: `{id}` stops at a slash, `{+path}` does not. */
export interface UriTemplate {
  readonly text: string;
  readonly variables: readonly string[];
  /** The values of the variables, or undefined if the URI does not match. */
  match(uri: string): Record<string, string> | undefined;
}

export function compileTemplate(text: string): UriTemplate {
  const variables: string[] = [];
  const parts = text
    .split(/(\{[^{}]*\})/)
    .map((part, index): Part => (index % 2 === 0 ? part : variable(part, text, variables)))
    .filter((part) => part !== "");
  if (variables.length > maxVariables)
    throw new BiplaneError(
      "INVALID_DEFINITION",
      `URI template ${text.slice(0, 200)} has more than ${maxVariables} variables.`,
    );
  return {
    text,
    variables,
    match(uri) {
      const values = uri.length > maxUriLength ? undefined : read(uri, parts);
      return values && Object.fromEntries(variables.map((name, index) => [name, decode(values[index] ?? "")]));
    },
  };
}

const maxVariables = 16;
const maxUriLength = 8192;

/** Literal text, or the characters a variable may contain. */
type Part = string | RegExp;

function variable(part: string, text: string, variables: string[]): RegExp {
  const found = /^\{(\+?)([A-Za-z_][A-Za-z0-9_]*)\}$/.exec(part);
  const name = found?.[2];
  if (name === undefined || variables.includes(name)) {
    throw new BiplaneError(
      "INVALID_DEFINITION",
      `URI template ${text}: cannot use ${part}. Write {name} or {+name}, each name once.`,
    );
  }
  variables.push(name);
  return found?.[1] === "+" ? /^.$/ : /^[^/?#]$/;
}

/**
 * The values of the variables; earlier ones match as much as possible. Templates can come from a hostile server, so this
 * is dynamic programming from the last part to the first, without backtracking.
 */
function read(uri: string, parts: readonly Part[]): string[] | undefined {
  const [first, last] = [parts[0], parts.at(-1)];
  if (typeof first === "string" && !uri.startsWith(first)) return undefined;
  if (typeof last === "string" && !uri.endsWith(last)) return undefined;
  const ends: Int16Array[] = [];
  let fits = new Uint8Array(uri.length + 1);
  fits[uri.length] = 1;
  for (let at = parts.length - 1; at >= 0; at--) {
    const reach = reachOf(parts[at] as Part, uri, fits);
    ends[at] = reach;
    fits = Uint8Array.from(reach, (end) => (end < 0 ? 0 : 1));
  }
  if (fits[0] !== 1) return undefined;
  let from = 0;
  return parts.flatMap((part, at) => {
    const start = from;
    from = ends[at]?.[start] ?? start;
    return typeof part === "string" ? [] : [uri.slice(start, from)];
  });
}

/** For each start, the furthest end of the part after which the rest matches, or -1. */
function reachOf(part: Part, uri: string, fits: Uint8Array): Int16Array {
  const reach = new Int16Array(uri.length + 1).fill(-1);
  if (typeof part === "string") {
    for (let at = uri.indexOf(part); at >= 0; at = uri.indexOf(part, at + 1))
      if (fits[at + part.length] === 1) reach[at] = at + part.length;
    return reach;
  }
  for (let at = uri.length - 1; at >= 0; at--) {
    if (!part.test(uri.charAt(at))) continue;
    const further = reach[at + 1] ?? -1;
    reach[at] = further >= 0 ? further : fits[at + 1] === 1 ? at + 1 : -1;
  }
  return reach;
}

function decode(value: string): string {
  return decodeUri(value) ?? value;
}
