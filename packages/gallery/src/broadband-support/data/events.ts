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
  "L-2009": { line_fault: true },
  "L-2015": { line_fault: true },
  "L-2029": { line_fault: true },
};

export const secondLines: readonly LineRecord[] = [
  {
    id: "L-2112",
    customer_id: "C-1012",
    label: "studio",
    technology: "copper",
    plan: "home-150",
    next_plan: null,
    addons: [],
    status: "active",
    started_on: "2022-06-01",
    term_ends_on: "2024-06-01",
    paused_until: null,
    last_pause_on: null,
    ends_on: null,
    fees: [],
    line_fault: false,
  },
];

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

export const orders: readonly OrderRecord[] = [
  order("O-5001", { customer: "C-1010", product: "mesh-point", status: "processing", ordered: "2026-03-15" }),
  order("O-5002", {
    customer: "C-1019",
    product: "router-x3",
    status: "shipped",
    ordered: "2026-03-12",
    expected: "2026-03-18",
  }),
  order("O-5003", {
    customer: "C-1002",
    product: "mesh-point",
    status: "delivered",
    ordered: "2026-02-26",
    delivered: "2026-03-01",
  }),
  order("O-5004", { customer: "C-1012", product: "mesh-point", status: "cancelled", ordered: "2026-01-20" }),
  order("O-5005", {
    customer: "C-1024",
    product: "router-x2",
    status: "delivered",
    ordered: "2025-04-07",
    delivered: "2025-04-10",
  }),
  order("O-5006", {
    customer: "C-1025",
    product: "mesh-point",
    status: "delivered",
    ordered: "2026-01-16",
    delivered: "2026-01-20",
  }),
  order("O-5007", {
    customer: "C-1014",
    product: "router-x2",
    status: "delivered",
    ordered: "2023-05-17",
    delivered: "2023-05-20",
  }),
  order("O-5008", {
    customer: "C-1027",
    product: "router-x3",
    status: "shipped",
    ordered: "2026-03-13",
    expected: "2026-03-17",
  }),
  order("O-5009", {
    customer: "C-1003",
    product: "mesh-point",
    status: "delivered",
    ordered: "2026-02-21",
    delivered: "2026-02-25",
  }),
  order("O-5010", {
    customer: "C-1003",
    product: "router-x2",
    status: "delivered",
    ordered: "2025-05-28",
    delivered: "2025-06-01",
  }),
  order("O-5011", { customer: "C-1005", product: "router-x3", status: "processing", ordered: "2026-03-16" }),
  order("O-5012", {
    customer: "C-1035",
    product: "router-x3",
    status: "delivered",
    ordered: "2024-07-29",
    delivered: "2024-08-01",
  }),
  order("O-5013", { customer: "C-1007", product: "router-x3", status: "cancelled", ordered: "2026-01-25" }),
  order("O-5014", {
    customer: "C-1022",
    product: "mesh-point",
    status: "delivered",
    ordered: "2026-03-02",
    delivered: "2026-03-05",
  }),
  order("O-5015", {
    customer: "C-1018",
    product: "mesh-point",
    status: "delivered",
    ordered: "2026-01-10",
    delivered: "2026-01-14",
  }),
  order("O-5016", {
    customer: "C-1029",
    product: "router-x2",
    status: "delivered",
    ordered: "2026-01-28",
    delivered: "2026-02-01",
  }),
];

export const visits: readonly VisitRecord[] = [
  { id: "V-6001", line_id: "L-2013", slot: "2026-03-10 morning", status: "missed", compensated: false },
  { id: "V-6002", line_id: "L-2015", slot: "2026-03-11 morning", status: "missed", compensated: false },
  { id: "V-6003", line_id: "L-2025", slot: "2026-03-18 morning", status: "booked", compensated: false },
];

export const outages: readonly OutageRecord[] = [
  outage("A-8001", { area: "21", began: "2026-03-16", expected: "2026-03-17", days: 0 }),
  outage("A-8002", { area: "34", began: "2026-03-09", ended: "2026-03-12", days: 3 }),
  outage("A-8003", { area: "47", began: "2026-02-10", ended: "2026-03-02", days: 20 }),
  outage("A-8004", { area: "13", began: "2026-03-02", ended: "2026-03-07", days: 5 }),
];

function november(id: string, customer: string, items: readonly InvoiceItem[]): InvoiceRecord {
  const total = items.reduce((sum, { amount }) => sum + amount, 0);
  const dates = { issued_on: "2025-11-01", due_on: "2025-11-15" };
  return { id, customer_id: customer, ...dates, items, total, status: "paid", refunded: 0 };
}

interface OrderFacts {
  readonly customer: string;
  readonly product: ProductId;
  readonly status: OrderRecord["status"];
  readonly ordered: string;
  readonly expected?: string;
  readonly delivered?: string;
}

function order(id: string, facts: OrderFacts): OrderRecord {
  const { customer, product, status, ordered, expected = null, delivered = null } = facts;
  return {
    id,
    customer_id: customer,
    product,
    price: products[product],
    status,
    ordered_on: ordered,
    expected_on: expected,
    delivered_on: delivered,
    reason: "purchase",
    delivery: "home",
  };
}

interface OutageFacts {
  readonly area: string;
  readonly began: string;
  readonly ended?: string;
  readonly expected?: string;
  readonly days: number;
}

function outage(id: string, { area, began, ended, expected, days }: OutageFacts): OutageRecord {
  return {
    id,
    area,
    began_on: began,
    ended_on: ended ?? null,
    expected_end: expected ?? null,
    full_days: days,
  };
}
