import { products } from "../catalogue.ts";
import type {
  CustomerRecord,
  InvoiceItem,
  InvoiceRecord,
  LineRecord,
  OrderRecord,
  OutageRecord,
  ProductId,
  VisitRecord,
} from "../tables.ts";

/** What is special about some customers, by their number. */
export const customerDetails: Readonly<Record<string, Partial<CustomerRecord>>> = {
  "C-1015": { late_fee_waived_on: "2025-09-10" },
  "C-1023": { authorised: ["Miriam Novak"] },
  "C-1029": { authorised: ["Jana Dvorak"] },
  "C-1036": { authorised: ["Maja Johansen"] },
  "C-1024": { authorised: ["Paola Marchetti"] },
};

export const lineDetails: Readonly<Record<string, Partial<LineRecord>>> = {
  "L-2004": { last_pause_on: "2025-10-01" },
  "L-2005": { addons: ["protect"] },
  "L-2007": { addons: ["static-ip"] },
  "L-2008": { addons: ["tv-pack"] },
  "L-2009": { line_fault: true },
  "L-2015": { line_fault: true },
  "L-2020": { addons: ["protect"] },
  "L-2021": { term_ends_on: "2026-11-01" },
  "L-2022": { term_ends_on: "2027-01-01" },
  "L-2026": { term_ends_on: "2026-07-24" },
  "L-2027": { term_ends_on: "2026-12-01" },
  "L-2029": { line_fault: true },
  "L-2031": { addons: ["tv-pack", "protect"] },
  "L-2033": { term_ends_on: "2026-10-01" },
};

/** Items beyond the usual ones, and invoices that are not paid. */
export const invoiceDetails: Readonly<
  Record<string, { readonly items?: readonly InvoiceItem[]; readonly status?: InvoiceRecord["status"] }>
> = {
  "I-3062": { items: [{ text: "tv-pack, February 2026", amount: 12 }] },
  "I-3072": { items: [{ text: "router-x3, order O-5013", amount: 189 }] },
  "I-3083": { items: [{ text: "late fee", amount: 5 }] },
  "I-3122": { items: [{ text: "mesh-point, order O-5004", amount: 79 }] },
  "I-3153": { items: [{ text: "late fee", amount: 5 }] },
  "I-3183": {
    items: [
      { text: "mesh-point, order O-5015", amount: 79 },
      { text: "late fee", amount: 5 },
    ],
    status: "overdue",
  },
  "I-3202": { items: [{ text: "protect, February 2026", amount: 4 }] },
  "I-3293": { items: [{ text: "router-x2, order O-5016", amount: 129 }], status: "overdue" },
  "I-3312": { items: [{ text: "tv-pack, February 2026", amount: 12 }] },
  "I-3343": { items: [{ text: "tv-pack, March 2026", amount: 12 }], status: "open" },
};

export const oldInvoices: readonly InvoiceRecord[] = [
  november("I-3090", "C-1009", [
    { text: "home-150, November 2025", amount: 30 },
    { text: "home-150, November 2025", amount: 30 },
  ]),
  november("I-3310", "C-1031", [
    { text: "home-500, November 2025", amount: 45 },
    { text: "tv-pack, November 2025", amount: 12 },
    { text: "tv-pack, November 2025", amount: 12 },
    { text: "protect, November 2025", amount: 4 },
  ]),
];

type OrderRow = readonly [
  id: string,
  customer: string,
  product: ProductId,
  status: OrderRecord["status"],
  ordered: string,
  /** The day on which it is expected if it is shipped, or came if it is delivered. */
  delivery?: string,
];

const orderRows: readonly OrderRow[] = [
  ["O-5001", "C-1010", "mesh-point", "processing", "2026-03-15"],
  ["O-5002", "C-1019", "router-x3", "shipped", "2026-03-12", "2026-03-18"],
  ["O-5003", "C-1002", "mesh-point", "delivered", "2026-02-26", "2026-03-01"],
  ["O-5004", "C-1012", "mesh-point", "cancelled", "2026-01-20"],
  ["O-5005", "C-1024", "router-x2", "delivered", "2025-04-07", "2025-04-10"],
  ["O-5006", "C-1025", "mesh-point", "delivered", "2026-01-16", "2026-01-20"],
  ["O-5007", "C-1014", "router-x2", "delivered", "2023-05-17", "2023-05-20"],
  ["O-5008", "C-1027", "router-x3", "shipped", "2026-03-13", "2026-03-17"],
  ["O-5009", "C-1003", "mesh-point", "delivered", "2026-02-21", "2026-02-25"],
  ["O-5010", "C-1003", "router-x2", "delivered", "2025-05-28", "2025-06-01"],
  ["O-5011", "C-1005", "router-x3", "processing", "2026-03-16"],
  ["O-5012", "C-1035", "router-x3", "delivered", "2024-07-29", "2024-08-01"],
  ["O-5013", "C-1007", "router-x3", "cancelled", "2026-01-25"],
  ["O-5014", "C-1022", "mesh-point", "delivered", "2026-03-02", "2026-03-05"],
  ["O-5015", "C-1018", "mesh-point", "delivered", "2026-01-10", "2026-01-14"],
  ["O-5016", "C-1029", "router-x2", "delivered", "2026-01-28", "2026-02-01"],
];

export const orders: readonly OrderRecord[] = orderRows.map(
  ([id, customer, product, status, ordered, delivery = null]) => ({
    id,
    customer_id: customer,
    product,
    price: products[product],
    status,
    ordered_on: ordered,
    expected_on: status === "shipped" ? delivery : null,
    delivered_on: status === "delivered" ? delivery : null,
    reason: "purchase",
    delivery: "home",
  }),
);

export const visits: readonly VisitRecord[] = [
  { id: "V-6001", line_id: "L-2013", slot: "2026-03-10 morning", status: "missed", compensated: false },
  { id: "V-6002", line_id: "L-2015", slot: "2026-03-11 morning", status: "missed", compensated: false },
  { id: "V-6003", line_id: "L-2025", slot: "2026-03-18 morning", status: "booked", compensated: false },
];

export const outages: readonly OutageRecord[] = [
  { id: "A-8001", area: "21", began_on: "2026-03-16", ended_on: null, expected_end: "2026-03-17", full_days: 0 },
  { id: "A-8002", area: "34", began_on: "2026-03-09", ended_on: "2026-03-12", expected_end: null, full_days: 3 },
  { id: "A-8003", area: "47", began_on: "2026-02-10", ended_on: "2026-03-02", expected_end: null, full_days: 20 },
  { id: "A-8004", area: "13", began_on: "2026-03-02", ended_on: "2026-03-07", expected_end: null, full_days: 5 },
];

function november(id: string, customer: string, items: readonly InvoiceItem[]): InvoiceRecord {
  const total = items.reduce((sum, { amount }) => sum + amount, 0);
  const dates = { issued_on: "2025-11-01", due_on: "2025-11-15" };
  return { id, customer_id: customer, ...dates, items, total, status: "paid", refunded: 0 };
}
