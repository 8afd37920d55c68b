import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { initialTables } from "./data/initial-tables.ts";
import type { SupportTables } from "./tables.ts";

export type TableName = keyof SupportTables;

/** What differs from the initial database, by table and id: plain data. */
export type RecordChanges = { [Name in TableName]?: Record<string, SupportTables[Name]> };

/** The database as one episode or one server sees and changes it. The initial tables are shared and never change. */
export class SupportRecords {
  readonly #changes: RecordChanges;

  constructor(changes: RecordChanges) {
    this.#changes = changes;
  }

  find<Name extends TableName>(table: Name, id: string): SupportTables[Name] | undefined {
    const changed = this.#changes[table];
    return changed && Object.hasOwn(changed, id) ? changed[id] : initialTables()[table].get(id);
  }

  /** Like `find`, and says what to do if there is none. */
  get<Name extends TableName>(table: Name, id: string): SupportTables[Name] {
    const found = this.find(table, id);
    if (found) return found;
    throw new Error(`There is no ${names[table].noun} ${id}. ${hints[table]}`);
  }

  all<Name extends TableName>(table: Name): SupportTables[Name][] {
    const ids = new Set([...initialTables()[table].keys(), ...Object.keys(this.#changes[table] ?? {})]);
    return Array.from(ids, (id) => this.get(table, id));
  }

  /** Changes fields of a record, and returns the new record. */
  update<Name extends TableName>(table: Name, id: string, fields: Partial<SupportTables[Name]>): SupportTables[Name] {
    return this.#put(table, { ...this.get(table, id), ...fields });
  }

  /** Adds a record under the next free id. */
  add<Name extends TableName>(table: Name, fields: Omit<SupportTables[Name], "id">): SupportTables[Name] {
    const numbers = this.all(table).map(({ id }) => Number(id.slice(2)));
    const id = `${names[table].prefix}-${Math.max(firstNumber - 1, ...numbers) + 1}`;
    return this.#put(table, { id, ...fields } as SupportTables[Name]);
  }

  #put<Name extends TableName>(table: Name, record: SupportTables[Name]): SupportTables[Name] {
    const changed: Record<string, SupportTables[Name]> = (this.#changes[table] ??= {});
    changed[record.id] = record;
    return record;
  }
}

/**
 * SHA-256 of the difference from the initial database. Free text and the numbers of new records do not count, so that
 * two ways to the same result have the same hash.
 */
export function hashChanges(changes: RecordChanges): string {
  return createHash("sha256")
    .update(JSON.stringify(differences(changes)))
    .digest("hex");
}

/** The records that differ from the initial database, by table. */
export function differences(changes: RecordChanges): Record<string, unknown[]> {
  const tables = Object.entries(changes).map(([table, records]) => {
    const initial: ReadonlyMap<string, unknown> = initialTables()[table as TableName];
    const differing = Object.values<{ readonly id: string }>(records)
      .filter((record) => !isDeepStrictEqual(record, initial.get(record.id)))
      .map((record) => comparable(record, initial.has(record.id)));
    return [table, differing.toSorted((one, other) => compare(JSON.stringify(one), JSON.stringify(other)))] as const;
  });
  return Object.fromEntries(
    tables.filter(([, records]) => records.length > 0).toSorted(([one], [other]) => compare(one, other)),
  );
}

function comparable(record: object, isInitial: boolean): Record<string, unknown> {
  const fields = Object.entries(record).filter(([name]) => name !== "note" && (name !== "id" || isInitial));
  return Object.fromEntries(fields.toSorted(([one], [other]) => compare(one, other)));
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

/** New records of a table that is empty at first begin here. */
const firstNumber = 9001;

/** How the ids of a table begin, and what its records are called. */
const names: Readonly<Record<TableName, { readonly prefix: string; readonly noun: string }>> = {
  customers: { prefix: "C", noun: "customer" },
  lines: { prefix: "L", noun: "line" },
  invoices: { prefix: "I", noun: "invoice" },
  orders: { prefix: "O", noun: "order" },
  visits: { prefix: "V", noun: "visit" },
  outages: { prefix: "A", noun: "outage" },
  credits: { prefix: "R", noun: "credit" },
  agreements: { prefix: "P", noun: "payment agreement" },
  contacts: { prefix: "K", noun: "contact" },
};

const hints: Readonly<Record<TableName, string>> = {
  customers: "Customer numbers look like C-1001. Use customer_find with an email address or a phone number.",
  lines: "Line numbers look like L-2001. customer_get lists the lines of a customer.",
  invoices: "Invoice numbers look like I-3001. invoice_list lists the invoices of a customer.",
  orders: "Order numbers look like O-5001. customer_get lists the orders of a customer.",
  visits: "Visit numbers look like V-6001. line_get lists the visits of a line.",
  outages: "outage_check finds the outage of a postcode.",
  credits: "customer_get lists the credits of a customer.",
  agreements: "invoice_list shows payment agreements.",
  contacts: "Only contact_close and contact_transfer write contacts.",
};
