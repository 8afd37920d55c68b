import { basename, sep } from "node:path";
import { nearest } from "../../call/rules/near-miss.ts";
import type { Place } from "../../call/rules/problem.ts";
import { showValue } from "../../call/rules/show-value.ts";

/** What `${…}` stands for in a file of servers. */
export interface Variables {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** `${userHome}` and the like. */
  readonly named: Readonly<Record<string, string>>;
  /** What was answered to `${input:id}`; undefined where nobody answered. */
  readonly inputs: ReadonlyMap<string, string | undefined>;
}

/** The names that editors have for places. */
export function places(options: {
  readonly userHome: string;
  readonly workspaceFolder: string;
}): Record<string, string> {
  const { workspaceFolder } = options;
  return { ...options, workspaceFolderBasename: basename(workspaceFolder), pathSeparator: sep, "/": sep };
}

/**
 * Puts in what `${NAME}`, `${NAME:-default}`, `${env:NAME}`, `${input:id}` and `${userHome}` stand for; `$${` is a plain
 * `${`. What was put in is not looked at again, so no value can refer to another.
 */
export function fill(text: string, place: Place, variables: Variables): string {
  return text.replaceAll(/\$\$\{|\$\{([^{}$]*)\}/g, (whole, inner?: string) =>
    inner === undefined ? "${" : (valueOf(inner, place, variables) ?? whole),
  );
}

/** The ids that a text asks for with `${input:id}`. */
export function inputsIn(text: string): string[] {
  return Array.from(text.matchAll(/(?<!\$)\$\{input:([^{}$]*)\}/g), ([, id = ""]) => id);
}

function valueOf(inner: string, place: Place, { environment, named, inputs }: Variables): string | undefined {
  if (Object.hasOwn(named, inner)) return named[inner];
  if (inner.startsWith("input:")) {
    const id = inner.slice("input:".length);
    return inputs.get(id) ?? place.fail(`needs an answer to the input ${showValue(id)}, and there is none`);
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
  return `which is not known here; there are \${NAME}, \${env:NAME}, \${input:id}, \${${Object.keys(named).join("}, ${")}}, and $\${ for the sign itself`;
}
