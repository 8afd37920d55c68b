/** One `BEGIN` … `END` of an iCalendar file. */
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

/** Reads iCalendar text. What cannot be read is skipped: one odd line must not cost a whole calendar. */
export function parseIcal(text: string): readonly Component[] {
  const root = open("");
  const stack = [root];
  for (const line of unfold(text)) {
    const property = parseLine(line);
    const inner = stack.at(-1) ?? root;
    if (!property) continue;
    if (property.name === "BEGIN") {
      const component = open(property.value.trim().toUpperCase());
      if (stack.length <= deepest) inner.components.push(component);
      stack.push(component);
    } else if (property.name === "END") {
      const at = stack.findLastIndex(({ name }) => name === property.value.trim().toUpperCase());
      if (at > 0) stack.length = at;
    } else inner.properties.push(property);
  }
  return root.components;
}

export function find(component: Component, name: string): Property | undefined {
  return component.properties.find((property) => property.name === name);
}

export function findAll(component: Component, name: string): readonly Property[] {
  return component.properties.filter((property) => property.name === name);
}

/** A property of kind TEXT, its escapes undone; empty where it is not there. */
export function textOf(component: Component, name: string): string {
  const { value = "" } = find(component, name) ?? {};
  return value.replaceAll(/\\([\\,;:"nN])/g, (_, escaped: string) => (/n/i.test(escaped) ? "\n" : escaped)).trim();
}

/** A calendar, its events and their alarms: that is three. */
const deepest = 8;

interface OpenComponent extends Component {
  readonly properties: Property[];
  readonly components: OpenComponent[];
}

function open(name: string): OpenComponent {
  return { name, properties: [], components: [] };
}

/** A line that begins with white space goes on where the one before ended; just that one character is dropped. */
function unfold(text: string): readonly string[] {
  return text
    .replace(/^\ufeff/, "")
    .replaceAll(/(?:\r\n|\r|\n)[ \t]/g, "")
    .split(/\r\n|\r|\n/);
}

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
