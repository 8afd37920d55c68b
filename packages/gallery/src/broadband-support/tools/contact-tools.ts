import { supportTool } from "../support-tool.ts";

const contactCustomer = {
  type: ["string", "null"],
  pattern: "^C-\\d{4}$",
  description: "The customer number, or null if no account was found",
} as const;
const note = { type: "string", maxLength: 2000, description: "What happened, for colleagues" } as const;

/** They end the contact. */
export const contactTools = {
  contact_close: supportTool({
    description: "Close the contact after you have asked whether there is anything else. This is the last call.",
    writes: true,
    parameters: { customer_id: contactCustomer, outcome: { enum: ["solved", "declined", "unverified"] }, note },
    optional: ["note"],
    run: ({ records }, { customer_id: id, outcome, note: text = "" }) => {
      if (id !== null) records.get("customers", id);
      // A contact with somebody unknown is kept without the account that it was about.
      records.add("contacts", { customer_id: outcome === "unverified" ? null : id, outcome, team: null, note: text });
      return "The contact is closed.";
    },
  }),
  contact_transfer: supportTool({
    description: "Transfer the contact to a team of specialists, only where the policy says so. This is the last call.",
    writes: true,
    parameters: {
      customer_id: contactCustomer,
      team: { enum: ["billing", "security", "moves", "care", "legal"] },
      note,
    },
    optional: ["note"],
    run: ({ records }, { customer_id: id, team, note: text = "" }) => {
      if (id !== null) records.get("customers", id);
      records.add("contacts", { customer_id: id, outcome: "transferred", team, note: text });
      return `The contact is transferred to ${team}.`;
    },
  }),
};
