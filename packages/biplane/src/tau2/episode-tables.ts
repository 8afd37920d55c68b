import { createHash } from "node:crypto";
import { writePythonJson } from "../rollout/python/json.ts";
import { dump } from "./model.ts";
import type { DataOf, Type } from "./model.ts";

/** An entry of a table, such as an order. */
export type Entry = Record<string, unknown>;

/** What an episode changed, by table and id: plain data. The pristine tables are shared and never change. */
export type Changes = Record<string, Record<string, Entry>>;

/** The tables of a domain as its files have them. */
export class PristineTables {
  readonly types: Readonly<Record<string, Type>>;
  readonly #tables: ReadonlyMap<string, ReadonlyMap<string, Entry>>;
  /** The text of each table as it is hashed, by id in sorted order, made when first needed. */
  readonly #lines = new Map<string, ReadonlyMap<string, string>>();
  readonly #texts = new Map<string, string>();

  constructor(types: Readonly<Record<string, Type>>, tables: ReadonlyMap<string, ReadonlyMap<string, Entry>>) {
    this.types = types;
    this.#tables = tables;
  }

  table(name: string): ReadonlyMap<string, Entry> {
    return this.#tables.get(name) ?? new Map<string, Entry>();
  }

  /** SHA-256 of the database as Python's `json.dumps(…, sort_keys=True)` writes it. */
  hash(changes: Changes): string {
    const hash = createHash("sha256");
    for (const [index, name] of Object.keys(this.types).toSorted().entries()) {
      hash.update(`${index === 0 ? "{" : ", "}"${name}": {`);
      hash.update(this.#textOf(name, changes[name]));
      hash.update("}");
    }
    return hash.update("}").digest("hex");
  }

  #textOf(name: string, changed: Readonly<Record<string, Entry>> | undefined): string {
    const lines = this.#linesOf(name);
    if (!changed) {
      const text = this.#texts.get(name) ?? [...lines.values()].join(", ");
      this.#texts.set(name, text);
      return text;
    }
    const all = new Map(lines);
    for (const [id, entry] of Object.entries(changed)) all.set(id, this.#line(name, id, entry));
    const isSorted = all.size === lines.size;
    const entries = isSorted ? [...all] : [...all].toSorted(([one], [other]) => (one < other ? -1 : 1));
    return entries.map(([, line]) => line).join(", ");
  }

  #linesOf(name: string): ReadonlyMap<string, string> {
    let lines = this.#lines.get(name);
    if (!lines) {
      const table = this.table(name);
      const ids = [...table.keys()].toSorted();
      lines = new Map(ids.map((id) => [id, this.#line(name, id, table.get(id) ?? {})]));
      this.#lines.set(name, lines);
    }
    return lines;
  }

  #line(name: string, id: string, entry: Entry): string {
    return `${writePythonJson(id)}: ${writePythonJson(dump(this.types[name] as Type, entry))}`;
  }
}

/** The tables as one episode sees and changes them. */
export class EpisodeTables<Types extends Readonly<Record<string, Type>>> {
  readonly #pristine: PristineTables;
  readonly #changes: Changes;

  constructor(pristine: PristineTables, changes: Changes) {
    this.#pristine = pristine;
    this.#changes = changes;
  }

  find<Name extends keyof Types & string>(table: Name, id: string): DataOf<Types[Name]> | undefined {
    const changed = this.#changes[table];
    const found = changed && Object.hasOwn(changed, id) ? changed[id] : this.#pristine.table(table).get(id);
    return found as DataOf<Types[Name]> | undefined;
  }

  /** All entries with their ids, in the order of the file. */
  all<Name extends keyof Types & string>(table: Name): (readonly [string, DataOf<Types[Name]>])[] {
    const ids = new Set([...this.#pristine.table(table).keys(), ...Object.keys(this.#changes[table] ?? {})]);
    return Array.from(ids, (id) => [id, this.find(table, id) as DataOf<Types[Name]>] as const);
  }

  /** An entry that may be changed: the episode's own copy. */
  edit<Name extends keyof Types & string>(table: Name, id: string): DataOf<Types[Name]> {
    const changed = (this.#changes[table] ??= {});
    if (!Object.hasOwn(changed, id)) changed[id] = structuredClone(this.#pristine.table(table).get(id)) ?? {};
    return changed[id] as DataOf<Types[Name]>;
  }

  put<Name extends keyof Types & string>(table: Name, id: string, entry: DataOf<Types[Name]>): void {
    (this.#changes[table] ??= {})[id] = entry as Entry;
  }

  /** An entry as the result of a tool. */
  dump<Name extends keyof Types & string>(table: Name, entry: DataOf<Types[Name]>): unknown {
    return dump(this.#pristine.types[table] as Type, entry);
  }
}
