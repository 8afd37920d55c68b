/** Reads the part of TOML that data files use: tables, lists of tables, strings, numbers, booleans and flat lists. */
export function readToml(text: string): Readonly<Record<string, unknown>> {
  const root: Table = {};
  let table = root;
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const line = raw.trim();
    if (line === "" || line.startsWith("#")) continue;
    const [, list, single, key, value] = /^(?:\[\[([\w.-]+)\]\]|\[([\w.-]+)\]|([\w-]+)\s*=\s*(.+))$/.exec(line) ?? [];
    if (list !== undefined) table = openTable(root, list, true);
    else if (single !== undefined) table = openTable(root, single, false);
    else if (key !== undefined && value !== undefined) setOwn(table, key, readValue(value, index + 1));
    else throw new SyntaxError(`line ${index + 1} is not TOML that is supported here: ${line.slice(0, 80)}`);
  }
  return root;
}

type Table = Record<string, unknown>;

/** Goes to a table, through the last element of each list, and makes what is missing. */
function openTable(root: Table, path: string, isList: boolean): Table {
  const names = path.split(".");
  let at = root;
  for (const [index, name] of names.entries()) {
    const isLast = index === names.length - 1;
    const found = Object.hasOwn(at, name) ? at[name] : undefined;
    if (isLast && isList) {
      const made: Table = {};
      if (Array.isArray(found)) found.push(made);
      else setOwn(at, name, [made]);
      return made;
    }
    const next: unknown = Array.isArray(found) ? found.at(-1) : found;
    if (typeof next === "object" && next !== null) at = next as Table;
    else {
      const made: Table = {};
      setOwn(at, name, made);
      at = made;
    }
  }
  return at;
}

function setOwn(table: Table, key: string, value: unknown): void {
  Object.defineProperty(table, key, { value, enumerable: true, writable: true, configurable: true });
}

/** Values are written as in JSON, apart from comments and trailing commas. */
function readValue(text: string, line: number): unknown {
  const [, value] = /^((?:"(?:[^"\\]|\\.)*"|[^"#])*)/.exec(text) ?? [];
  try {
    return JSON.parse((value ?? "").trim().replace(/,\s*\]$/, "]")) as unknown;
  } catch {
    throw new SyntaxError(`line ${line} has a value that is not supported here: ${text.slice(0, 80)}`);
  }
}
