import { cents, contactDay } from "../catalogue.ts";
import { amount, customerId, invoiceId, supportTool } from "../support-tool.ts";

export const billingTools = {
  invoice_list: supportTool({
    description: "List a customer's invoices, newest first, with items, total, status and payment agreement.",
    parameters: { customer_id: customerId },
    run: ({ records }, { customer_id: id }) => {
      records.get("customers", id);
      const own = records.all("invoices").filter((invoice) => invoice.customer_id === id);
      return {
        invoices: own
          .toSorted((one, other) => other.issued_on.localeCompare(one.issued_on))
          .map((invoice) => ({
            ...invoice,
            agreement: records.all("agreements").find((each) => each.invoice_id === invoice.id) ?? null,
          })),
      };
    },
  }),
  invoice_get: supportTool({
    description: "Get an invoice with its items.",
    parameters: { invoice_id: invoiceId },
    run: ({ records }, { invoice_id: id }) => records.get("invoices", id),
  }),
  invoice_refund: supportTool({
    description: "Pay money of a paid invoice back to the customer's card.",
    writes: true,
    parameters: {
      invoice_id: invoiceId,
      amount,
      reason: { enum: ["duplicate_item", "ended_addon", "cancelled_order"] },
    },
    run: ({ records }, { invoice_id: id, amount: paidBack }) => {
      const invoice = records.get("invoices", id);
      if (invoice.status !== "paid")
        throw new Error(`${id} is ${invoice.status}, not paid. A wrong item on it is corrected with credit_add.`);
      const left = cents(invoice.total - invoice.refunded);
      if (paidBack > left) throw new Error(`At most ${left} of ${id} can be refunded, not ${paidBack}.`);
      const { refunded } = records.update("invoices", id, { refunded: cents(invoice.refunded + paidBack) });
      return { invoice_id: id, refunded };
    },
  }),
  credit_add: supportTool({
    description: "Give a customer a credit for the next invoice. For a missed visit, its visit becomes compensated.",
    writes: true,
    parameters: {
      customer_id: customerId,
      amount,
      reason: { enum: ["outage", "missed_visit", "late_fee", "billing_error"] },
    },
    run: ({ records }, { customer_id: id, amount: given, reason }) => {
      records.get("customers", id);
      if (reason === "missed_visit") {
        const lines = records.all("lines").filter((line) => line.customer_id === id);
        const visit = records
          .all("visits")
          .find(
            (each) => each.status === "missed" && !each.compensated && lines.some((line) => line.id === each.line_id),
          );
        if (!visit) throw new Error(`${id} has no missed visit without compensation. line_get lists the visits.`);
        records.update("visits", visit.id, { compensated: true });
      }
      if (reason === "late_fee") records.update("customers", id, { late_fee_waived_on: contactDay });
      const credit = records.add("credits", { customer_id: id, amount: cents(given), reason });
      return { credit_id: credit.id, amount: credit.amount };
    },
  }),
  agreement_create: supportTool({
    description: "Let a customer pay an overdue invoice in equal monthly instalments.",
    writes: true,
    parameters: { invoice_id: invoiceId, instalments: { type: "integer", minimum: 2, maximum: 6 } },
    run: ({ records }, { invoice_id: id, instalments }) => {
      const invoice = records.get("invoices", id);
      if (invoice.status !== "overdue")
        throw new Error(`${id} is ${invoice.status}. Only overdue invoices have agreements.`);
      if (records.all("agreements").some((each) => each.invoice_id === id))
        throw new Error(`${id} has an agreement already. There is one for each invoice.`);
      const { id: _, ...agreement } = records.add("agreements", {
        invoice_id: id,
        instalments,
        amount_each: cents(invoice.total / instalments),
      });
      return agreement;
    },
  }),
};
