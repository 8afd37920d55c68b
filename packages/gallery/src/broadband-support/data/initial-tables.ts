import { addons, cents, monthNames, plans } from "../catalogue.ts";
import type { CustomerRecord, InvoiceItem, InvoiceRecord, LineRecord, SupportTables } from "../tables.ts";
import { customerRows } from "./customers.ts";
import type { CustomerRow } from "./customers.ts";
import { customerDetails, invoiceDetails, lineDetails, oldInvoices, orders, outages, visits } from "./events.ts";

/** The first two digits of the postcodes that we serve. */
export const servedPostcodes: readonly string[] = ["10", "13", "21", "22", "31", "34", "41", "47"];

export type InitialTables = { readonly [Name in keyof SupportTables]: ReadonlyMap<string, SupportTables[Name]> };

let tables: InitialTables | undefined;

/** The database as every episode begins. It is built once and never changes. */
export function initialTables(): InitialTables {
  return (tables ??= build());
}

function build(): InitialTables {
  const lines = customerRows.map(firstLine);
  return {
    customers: byId(customerRows.map(customerOf)),
    lines: byId([...lines, studioLine]),
    invoices: byId([...oldInvoices, ...lines.flatMap(invoicesOf)]),
    orders: byId(orders),
    visits: byId(visits),
    outages: byId(outages),
    credits: new Map(),
    agreements: new Map(),
    contacts: new Map(),
  };
}

function byId<Row extends { readonly id: string }>(rows: readonly Row[]): ReadonlyMap<string, Row> {
  return new Map(rows.map((row) => [row.id, row]));
}

function customerOf([number, name, street, city, postcode, birthDate, card]: CustomerRow): CustomerRecord {
  const id = `C-${1000 + number}`;
  const digits = String(number).padStart(2, "0");
  return {
    id,
    name,
    email: `${name.toLowerCase().replaceAll(/[^a-z]+/g, ".")}@mail.example`,
    phone: `+005550${digits}${(number * 7) % 10}`,
    street,
    city,
    postcode,
    birth_date: birthDate,
    card_last4: card,
    preferred_contact: "email",
    authorised: [],
    late_fee_waived_on: null,
    ...customerDetails[id],
  };
}

function firstLine([number, , , , , , , technology, plan, year]: CustomerRow): LineRecord {
  const id = `L-${2000 + number}`;
  const dates = { started_on: `${year}-02-01`, term_ends_on: `${year + 2}-02-01` };
  const line = newLine({ id, customer_id: `C-${1000 + number}`, label: "home", technology, plan, ...dates });
  return { ...line, ...lineDetails[id] };
}

const studioLine = newLine({
  id: "L-2112",
  customer_id: "C-1012",
  label: "studio",
  technology: "copper",
  plan: "home-150",
  started_on: "2022-06-01",
  term_ends_on: "2024-06-01",
});

type NewLine = Pick<LineRecord, "id" | "customer_id" | "label" | "technology" | "plan" | "started_on" | "term_ends_on">;

function newLine({ id, customer_id, label, technology, plan, started_on, term_ends_on }: NewLine): LineRecord {
  return {
    id,
    customer_id,
    label,
    technology,
    plan,
    next_plan: null,
    addons: [],
    status: "active",
    started_on,
    term_ends_on,
    paused_until: null,
    last_pause_on: null,
    ends_on: null,
    fees: [],
    line_fault: false,
  };
}

/** January to March. The number of an invoice is that of the customer, and 1, 2 or 3. */
function invoicesOf(line: LineRecord): InvoiceRecord[] {
  return [1, 2, 3].map((month) => {
    const id = `I-3${line.id.slice(-2)}${month}`;
    const { items: extra = [], status = "paid" as const } = invoiceDetails[id] ?? {};
    const items = [...usualItems(line, month), ...extra];
    return {
      id,
      customer_id: line.customer_id,
      issued_on: `2026-0${month}-01`,
      due_on: `2026-0${month}-15`,
      items,
      total: cents(items.reduce((sum, { amount }) => sum + amount, 0)),
      status,
      refunded: 0,
    };
  });
}

function usualItems({ plan, addons: booked }: LineRecord, month: number): InvoiceItem[] {
  const name = monthNames[month - 1];
  return [
    { text: `${plan}, ${name} 2026`, amount: plans[plan].price },
    ...booked.map((addon) => ({ text: `${addon}, ${name} 2026`, amount: addons[addon] })),
  ];
}
