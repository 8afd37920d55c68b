import { JobLimitError } from "../shared/worker/answer-jobs.ts";

/** A `BEGIN` … `END` block of an iCalendar file. */
export interface Component {
  readonly name: string;
  readonly properties: readonly Property[];
  readonly components: readonly Component[];
}

export interface Property {
  readonly name: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly value: string;
}

/**
 * Parses iCalendar text. Invalid lines are skipped: ical.js would reject the whole calendar for one of them. Throws if
 * it has too many lines.
 */
export function parseIcal(text: string): readonly Component[] {
  const root = open("");
  const stack = [root];
  // Not kept: searching a long stack for each END would take quadratic time.
  let tooDeep = 0;
  for (const line of unfold(text)) {
    const property = parseLine(line);
    const inner = stack.at(-1) ?? root;
    if (!property) continue;
    if (property.name === "BEGIN") {
      if (stack.length > deepest) {
        tooDeep++;
        continue;
      }
      const component = open(property.value.trim().toUpperCase());
      inner.components.push(component);
      stack.push(component);
    } else if (tooDeep > 0) {
      if (property.name === "END") tooDeep--;
    } else if (property.name === "END") {
      const at = stack.findLastIndex(({ name }) => name === property.value.trim().toUpperCase());
      if (at > 0) stack.length = at;
    } else inner.properties.push(property);
  }
  return root.components;
}

export function findProperty(component: Component, name: string): Property | undefined {
  return component.properties.find((property) => property.name === name);
}

export function findProperties(component: Component, name: string): readonly Property[] {
  return component.properties.filter((property) => property.name === name);
}

/** The unescaped value of a TEXT property, or an empty string. */
export function propertyText(component: Component, name: string): string {
  const { value = "" } = findProperty(component, name) ?? {};
  return value.replaceAll(/\\([\\,;:"nN])/g, (_, escaped: string) => (/n/i.test(escaped) ? "\n" : escaped)).trim();
}

/** Real files need three levels: calendar, event, alarm. */
const deepest = 8;

interface OpenComponent extends Component {
  readonly properties: Property[];
  readonly components: OpenComponent[];
}

function open(name: string): OpenComponent {
  return { name, properties: [], components: [] };
}

/** Joins continuation lines, which start with one white space character. */
function unfold(text: string): readonly string[] {
  const lines = text
    .replace(/^\ufeff/, "")
    .replaceAll(/(?:\r\n|\r|\n)[ \t]/g, "")
    .split(/[\r\n]+/, maxLines + 1);
  if (lines.length > maxLines) throw new JobLimitError(`it has more than ${maxLines} lines`);
  return lines;
}

/** More would not fit into the memory of the worker. A calendar of 10 MB has about that many. */
export const maxLines = 300_000;

function parseLine(line: string): Property | undefined {
  const [head, name = ""] = /^([A-Za-z0-9-]{1,100})(?=[;:])/.exec(line) ?? [];
  if (head === undefined) return undefined;
  const parameters = new Map<string, string>();
  let at = head.length;
  while (line[at] === ";") {
    parameter.lastIndex = at;
    const [whole, key = "", value = ""] = parameter.exec(line) ?? [];
    if (whole === undefined) return undefined;
    parameters.set(key.toUpperCase(), value.replaceAll('"', ""));
    at += whole.length;
  }
  return line[at] === ":" ? { name: name.toUpperCase(), parameters, value: line.slice(at + 1) } : undefined;
}

const parameter = /;([A-Za-z0-9-]{1,100})=((?:"[^"]*"|[^":;])*)/y;
