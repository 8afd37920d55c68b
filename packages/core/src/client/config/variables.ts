import { basename, sep } from "node:path";
import { nearest } from "../../tool/near-miss.ts";
import type { DocumentCursor } from "../../call/rules/problem.ts";
import { showValue } from "../../call/rules/show-value.ts";

/** Values of `${…}` variables in a server file. */
export interface Variables {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** `${userHome}` and the like. */
  readonly named: Readonly<Record<string, string>>;
  /** Answers to `${input:id}`; undefined if there is none. */
  readonly inputs: ReadonlyMap<string, string | undefined>;
}

/** The folder variables of editors. */
export function folderVariables(options: {
  readonly userHome: string;
  readonly workspaceFolder: string;
}): Record<string, string> {
  const { workspaceFolder } = options;
  return { ...options, workspaceFolderBasename: basename(workspaceFolder), pathSeparator: sep, "/": sep };
}

/**
 * Replaces `${NAME}`, `${NAME:-default}`, `${env:NAME}`, `${input:id}` and `${userHome}`; `$${` stands for `${`.
 * Replaced values are not expanded again.
 */
export function fill(text: string, place: DocumentCursor, variables: Variables): string {
  return text.replaceAll(/\$\$\{|\$\{([^{}$]*)\}/g, (whole, inner?: string) =>
    inner === undefined ? "${" : (valueOf(inner, place, variables) ?? whole),
  );
}

/** The ids in a text's `${input:id}`. */
export function inputsIn(text: string): string[] {
  return Array.from(text.matchAll(/(?<!\$)\$\{input:([^{}$]*)\}/g), ([, id = ""]) => id);
}

function valueOf(inner: string, place: DocumentCursor, { environment, named, inputs }: Variables): string | undefined {
  if (Object.hasOwn(named, inner)) return named[inner];
  if (inner.startsWith("input:")) {
    const id = inner.slice("input:".length);
    return inputs.get(id) ?? place.fail(`needs an answer to the input ${showValue(id)}`);
  }
  const [, name, fallback] = /^(?:env:)?([A-Za-z_]\w*)(?::-(.*))?$/s.exec(inner) ?? [];
  if (name === undefined) return place.fail(`refers to ${showValue(`\${${inner}}`)}, ${unknown(inner, named)}`);
  const found = Object.hasOwn(environment, name) ? environment[name] : undefined;
  if (found !== undefined && (found !== "" || fallback === undefined)) return found;
  if (fallback !== undefined) return fallback;
  const near = nearest(name, [...Object.keys(named), ...Object.keys(environment)]);
  return place.fail(
    `refers to ${name}, which is not set; ${near === undefined ? `set it or write \${${name}:-default}` : `did you mean ${near}?`}`,
  );
}

function unknown(inner: string, named: Readonly<Record<string, string>>): string {
  const near = nearest(inner, Object.keys(named));
  if (near !== undefined) return `which is not known; did you mean \${${near}}?`;
  return `which is not known. Use \${NAME}, \${env:NAME}, \${input:id}, \${${Object.keys(named).join("}, ${")}}, or $\${ for a literal \${`;
}
