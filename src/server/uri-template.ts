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
  const parts = text
    .split(/(\{[^{}]*\})/)
    .map((part, index): Part => (index % 2 === 0 ? part : hole(part, text, variables)))
    .filter((part) => part !== "");
  if (variables.length > mostVariables)
    throw new BiplaneError(
      "INVALID_DEFINITION",
      `URI template ${text.slice(0, 200)}: at most ${mostVariables} variables`,
    );
  return {
    text,
    variables,
    match(uri) {
      const values = uri.length > longestUri ? undefined : read(uri, parts);
      return values && Object.fromEntries(variables.map((name, index) => [name, decode(values[index] ?? "")]));
    },
  };
}

const mostVariables = 16;
const longestUri = 8192;

/** Text that must stand there, or what a hole may hold. */
type Part = string | RegExp;

function hole(part: string, text: string, variables: string[]): RegExp {
  const found = /^\{(\+?)([A-Za-z_][A-Za-z0-9_]*)\}$/.exec(part);
  const name = found?.[2];
  if (name === undefined || variables.includes(name)) {
    throw new BiplaneError(
      "INVALID_DEFINITION",
      `URI template ${text}: cannot use ${part}; write {name} or {+name}, each once`,
    );
  }
  variables.push(name);
  return found?.[1] === "+" ? /^.$/ : /^[^/?#]$/;
}

/**
 * What stands in the holes, the first of them as long as it can be. A template may come from a server that means harm,
 * so nothing is tried twice: from the last part to the first, it is noted how far each part can go from each place.
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

/** For each place, the furthest end of the part from which the rest fits; -1 where there is none. */
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
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
