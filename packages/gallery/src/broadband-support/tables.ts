/** The tables of Larkspur Broadband. Dates are ISO dates, amounts are euros. */
export interface SupportTables {
  customers: CustomerRecord;
  lines: LineRecord;
  invoices: InvoiceRecord;
  orders: OrderRecord;
  visits: VisitRecord;
  outages: OutageRecord;
  credits: CreditRecord;
  agreements: AgreementRecord;
  contacts: ContactRecord;
}

export interface CustomerRecord {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly phone: string;
  readonly street: string;
  readonly city: string;
  readonly postcode: string;
  readonly birth_date: string;
  /** The last four digits of the card that pays the invoices. */
  readonly card_last4: string;
  readonly preferred_contact: ContactChannel;
  /** People who may act for the customer, within the policy. */
  readonly authorised: readonly string[];
  /** When a late fee was last given back. */
  readonly late_fee_waived_on: string | null;
}

export type ContactChannel = "email" | "phone" | "letter";

export interface LineRecord {
  readonly id: string;
  readonly customer_id: string;
  readonly label: string;
  readonly technology: "copper" | "fibre";
  readonly plan: PlanId;
  /** Takes effect on the first day of the next month. */
  readonly next_plan: PlanId | null;
  readonly addons: readonly AddonId[];
  readonly status: "active" | "paused" | "cancelled";
  readonly started_on: string;
  readonly term_ends_on: string;
  readonly paused_until: string | null;
  readonly last_pause_on: string | null;
  readonly ends_on: string | null;
  /** Fees that the next invoice will have. */
  readonly fees: readonly { readonly reason: FeeReason; readonly amount: number }[];
  /** What is wrong on our side of the socket. */
  readonly line_fault: boolean;
}

export type PlanId = "basic-50" | "home-150" | "home-250" | "home-500" | "max-1000";
export type AddonId = "static-ip" | "protect" | "tv-pack";
export type FeeReason = "downgrade" | "pause" | "early_end";

export interface InvoiceRecord {
  readonly id: string;
  readonly customer_id: string;
  readonly issued_on: string;
  readonly due_on: string;
  readonly items: readonly InvoiceItem[];
  readonly total: number;
  readonly status: "paid" | "open" | "overdue";
  readonly refunded: number;
}

export interface InvoiceItem {
  readonly text: string;
  readonly amount: number;
}

export interface OrderRecord {
  readonly id: string;
  readonly customer_id: string;
  readonly product: ProductId;
  readonly price: number;
  readonly status: "processing" | "shipped" | "delivered" | "cancelled" | "returned";
  readonly ordered_on: string;
  readonly expected_on: string | null;
  readonly delivered_on: string | null;
  readonly reason: "purchase" | "warranty";
  readonly delivery: "home" | "pickup";
}

export type ProductId = "router-x2" | "router-x3" | "mesh-point";

export interface VisitRecord {
  readonly id: string;
  readonly line_id: string;
  readonly slot: string;
  readonly status: "booked" | "done" | "missed" | "cancelled";
  /** True once the customer has had the credit for a missed visit. */
  readonly compensated: boolean;
}

export interface OutageRecord {
  readonly id: string;
  /** The first two digits of the postcodes it concerns. */
  readonly area: string;
  readonly began_on: string;
  readonly ended_on: string | null;
  readonly expected_end: string | null;
  /** Whole days without service. */
  readonly full_days: number;
}

export interface CreditRecord {
  readonly id: string;
  readonly customer_id: string;
  readonly amount: number;
  readonly reason: CreditReason;
}

export type CreditReason = "outage" | "missed_visit" | "late_fee" | "billing_error";

export interface AgreementRecord {
  readonly id: string;
  readonly invoice_id: string;
  readonly instalments: number;
  readonly amount_each: number;
}

export interface ContactRecord {
  readonly id: string;
  readonly customer_id: string | null;
  readonly outcome: ContactOutcome;
  readonly team: SpecialistTeam | null;
  readonly note: string;
}

export type ContactOutcome = "solved" | "declined" | "unverified" | "transferred";
export type SpecialistTeam = "billing" | "security" | "moves" | "care" | "legal";
