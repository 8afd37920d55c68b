import { addons, cents, monthNames, plans } from "../catalogue.ts";
import type { CustomerRecord, InvoiceItem, InvoiceRecord, LineRecord, SupportTables } from "../tables.ts";
import { customerRows } from "./customers.ts";
import type { CustomerRow, LineRow } from "./customers.ts";
import {
  customerDetails,
  invoiceDetails,
  lineDetails,
  oldInvoices,
  orders,
  outages,
  secondLines,
  visits,
} from "./events.ts";

/** The first two digits of the postcodes that we serve. */
export const servedPostcodes: readonly string[] = ["10", "13", "21", "22", "31", "34", "41", "47"];

export type InitialTables = { readonly [Name in keyof SupportTables]: ReadonlyMap<string, SupportTables[Name]> };

let tables: InitialTables | undefined;

/** The database as every episode begins. It is built once and never changes. */
export function initialTables(): InitialTables {
  return (tables ??= build());
}

function build(): InitialTables {
  const lines = [...customerRows.map(firstLine), ...secondLines];
  return {
    customers: byId(customerRows.map(customerOf)),
    lines: byId(lines),
    invoices: byId([...oldInvoices, ...customerRows.flatMap(invoicesOf)]),
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

function firstLine([number, , , , , , , row]: CustomerRow): LineRecord {
  const [technology, plan, startedOn, termEndsOn, booked = []] = row;
  const id = `L-${2000 + number}`;
  return {
    id,
    customer_id: `C-${1000 + number}`,
    label: "home",
    technology,
    plan,
    next_plan: null,
    addons: booked,
    status: "active",
    started_on: startedOn,
    term_ends_on: termEndsOn,
    paused_until: null,
    last_pause_on: null,
    ends_on: null,
    fees: [],
    line_fault: false,
    ...lineDetails[id],
  };
}

/** January to March. The number of an invoice is that of the customer, and 1, 2 or 3. */
function invoicesOf([number, , , , , , , row]: CustomerRow): InvoiceRecord[] {
  return [1, 2, 3].map((month) => {
    const id = `I-3${String(number).padStart(2, "0")}${month}`;
    const { items: extra = [], status = "paid" as const } = invoiceDetails[id] ?? {};
    const items = [...usualItems(row, month), ...extra];
    return {
      id,
      customer_id: `C-${1000 + number}`,
      issued_on: `2026-0${month}-01`,
      due_on: `2026-0${month}-15`,
      items,
      total: cents(items.reduce((sum, { amount }) => sum + amount, 0)),
      status,
      refunded: 0,
    };
  });
}

function usualItems([, plan, , , booked = []]: LineRow, month: number): InvoiceItem[] {
  const name = monthNames[month - 1];
  return [
    { text: `${plan}, ${name} 2026`, amount: plans[plan].price },
    ...booked.map((addon) => ({ text: `${addon}, ${name} 2026`, amount: addons[addon] })),
  ];
}
