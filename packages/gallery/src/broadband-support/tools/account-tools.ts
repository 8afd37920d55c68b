import { policyLimits } from "../policy.ts";
import type { SupportContext } from "../support-tool.ts";
import { customerId, date, postcode, supportTool } from "../support-tool.ts";
import type { ContactChannel, CustomerRecord } from "../tables.ts";

export const accountTools = {
  customer_find: supportTool({
    description: "Find a customer by customer number, email address or phone number. Returns the number and the name.",
    parameters: {
      by: { enum: ["customer_id", "email", "phone"], description: "What the value is" },
      value: { type: "string", minLength: 1, maxLength: 200 },
    },
    run: ({ records }, { by, value }) => {
      const wanted = normalise(value);
      const found = records
        .all("customers")
        .find((customer) => normalise(by === "customer_id" ? customer.id : customer[by]) === wanted);
      if (found) return { customer_id: found.id, name: found.name };
      throw new Error(
        `No customer has the ${by} ${JSON.stringify(value)}. Ask the customer to spell it, or for another.`,
      );
    },
  }),
  customer_verify: supportTool({
    description: `Check the identity of a caller with ${policyLimits.verificationFacts} facts that the caller gave. Says only whether they are right.`,
    parameters: {
      customer_id: customerId,
      postcode,
      birth_date: { ...date, description: "The date of birth, such as 1984-07-19" },
      card_last4: { type: "string", pattern: "^\\d{4}$", description: "The last four digits of the card" },
    },
    optional: ["postcode", "birth_date", "card_last4"],
    run: verify,
  }),
  customer_get: supportTool({
    description:
      "Get a customer's contact data and authorised persons, and the numbers of their lines, orders and credits.",
    parameters: { customer_id: customerId },
    run: ({ records }, { customer_id: id }) => {
      const { birth_date: _, card_last4: __, ...visible } = records.get("customers", id);
      const own = (each: { readonly customer_id: string }) => each.customer_id === id;
      return {
        ...visible,
        lines: records
          .all("lines")
          .filter(own)
          .map(({ id: line, label, plan }) => ({ id: line, label, plan })),
        orders: records
          .all("orders")
          .filter(own)
          .map(({ id: order, product, status }) => ({ id: order, product, status })),
        credits: records.all("credits").filter(own),
      };
    },
  }),
  contact_update: supportTool({
    description: "Change a customer's email address, phone number or preferred contact (email, phone or letter).",
    writes: true,
    parameters: {
      customer_id: customerId,
      field: { enum: ["email", "phone", "preferred_contact"] },
      value: { type: "string", minLength: 1, maxLength: 200 },
    },
    run: ({ records }, { customer_id: id, field, value }) => {
      records.get("customers", id);
      if (field === "email" && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value))
        throw new Error(`${JSON.stringify(value)} is not an email address. Ask the customer to spell it.`);
      if (field === "phone" && !/^\+?[\d ]{6,20}$/.test(value))
        throw new Error(`${JSON.stringify(value)} is not a phone number. Use digits and spaces, such as +00 555 0100.`);
      if (field === "preferred_contact" && !isChannel(value))
        throw new Error(`preferred_contact is email, phone or letter, not ${JSON.stringify(value)}.`);
      const stored = field === "phone" ? value.replaceAll(" ", "") : value.toLowerCase();
      records.update("customers", id, { [field]: stored });
      return { customer_id: id, [field]: stored };
    },
  }),
};

interface Facts {
  readonly customer_id: string;
  readonly postcode?: string;
  readonly birth_date?: string;
  readonly card_last4?: string;
}

function verify({ records, checks }: SupportContext, { customer_id: id, ...facts }: Facts) {
  const customer = records.get("customers", id);
  const given = Object.entries(facts) as [keyof CustomerRecord, string][];
  const failed = checks.failed[id] ?? 0;
  if (failed >= policyLimits.verificationAttempts)
    throw new Error("The check is locked for today after too many failed attempts. Close the contact as unverified.");
  if (given.length < policyLimits.verificationFacts)
    throw new Error(
      `Pass ${policyLimits.verificationFacts} of postcode, birth_date and card_last4, as the caller gave them.`,
    );
  if (given.every(([name, value]) => customer[name] === value)) {
    if (!checks.verified.includes(id)) checks.verified.push(id);
    return { verified: true };
  }
  checks.failed[id] = failed + 1;
  const left = policyLimits.verificationAttempts - failed - 1;
  return {
    verified: false,
    attempts_left: left,
    advice: left > 0 ? "Ask again for the facts." : "The check is locked.",
  };
}

function normalise(value: string): string {
  return value.toLowerCase().replaceAll(" ", "");
}

function isChannel(value: string): value is ContactChannel {
  return ["email", "phone", "letter"].includes(value.toLowerCase());
}
