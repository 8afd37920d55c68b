import { readTool, transferTool, writeTool } from "../common-tools.ts";
import { dump } from "../model.ts";
import type { DomainFunctions, DomainTools, DomainInput } from "../domain.ts";
import { PythonError } from "../python-error.ts";
import {
  billOf,
  billsAwaitingPayment,
  customerOf,
  customerWithNumber,
  deviceOf,
  floatText,
  lineOf,
  lineOfCustomer,
  planOf,
  refuelData,
  suspendForOverdueBill,
  today,
} from "./company.ts";
import { billType, customerType, deviceType, lineType, planType } from "./telecom-models.ts";
import type { Company, Line, TelecomState } from "./telecom-models.ts";

const text = { type: "string" } as const;
const ofLine = { customer_id: text, line_id: text };

/** The agent's tools of the telecom domain. */
export const agentTools: DomainTools<TelecomState> = {
  get_customer_by_phone: readTool("Finds a customer by phone number, also by that of a line", {
    parameters: { phone_number: text },
    run: ({ company }, { phone_number: number }) => dump(customerType, customerWithNumber(company, String(number))),
  }),
  get_customer_by_id: readTool("Returns a customer", {
    parameters: { customer_id: text },
    run: ({ company }, { customer_id: id }) => dump(customerType, customerOf(company, String(id))),
  }),
  get_customer_by_name: readTool("Finds customers by full name and date of birth (YYYY-MM-DD)", {
    parameters: { full_name: text, dob: text },
    run: ({ company }, { full_name: name, dob }) =>
      company.customers
        .filter((each) => each.full_name.toLowerCase() === String(name).toLowerCase() && each.date_of_birth === dob)
        .map((each) => dump(customerType, each)),
  }),
  get_details_by_id: readTool("Returns a customer, line, device, bill or plan by its id", {
    parameters: { id: text },
    run: ({ company }, { id }) => detailsOf(company, String(id)),
  }),
  suspend_line: writeTool("Suspends an active line", {
    parameters: { ...ofLine, reason: text },
    run: ({ company }, input) => {
      const line = lineIn(company, input);
      if (line.status !== "Active") throw new PythonError("Line must be active to suspend");
      line.status = "Suspended";
      line.suspension_start_date = today;
      const message = "Line suspended successfully. $5/month holding fee will apply.";
      return { message, line: dump(lineType, line) };
    },
  }),
  resume_line: writeTool("Resumes a suspended line", {
    parameters: ofLine,
    run: ({ company }, input) => {
      const line = lineIn(company, input);
      if (line.status !== "Suspended" && line.status !== "Pending Activation")
        throw new PythonError("Line must be suspended to resume");
      line.status = "Active";
      line.suspension_start_date = null;
      return { message: "Line resumed successfully", line: dump(lineType, line) };
    },
  }),
  get_bills_for_customer: readTool("Lists a customer's bills, the newest first", {
    parameters: { customer_id: text, limit: { type: "integer", default: 12 } },
    run: ({ company }, { customer_id: id, limit = 12 }) =>
      listBills(company, String(id), limit === null ? undefined : Number(limit)),
  }),
  send_payment_request: writeTool("Asks the customer to pay a bill", {
    parameters: { customer_id: text, bill_id: text },
    run: ({ company }, { customer_id: customerId, bill_id: billId }) => {
      const customer = customerOf(company, String(customerId));
      if (billsAwaitingPayment(company, customer).length > 0)
        throw new PythonError("A bill is already awaiting payment for this customer");
      if (!customer.bill_ids.includes(String(billId)))
        throw new PythonError(`Bill ${String(billId)} not found for customer ${String(customerId)}`);
      const bill = billOf(company, String(billId));
      bill.status = "Awaiting Payment";
      return `Payment request sent to the customer for bill ${bill.bill_id}`;
    },
  }),
  get_data_usage: readTool("Returns the data that a line used in this billing cycle", {
    parameters: ofLine,
    run: ({ company }, input) => {
      const line = lineIn(company, input);
      const plan = planOf(company, line.plan_id);
      return {
        line_id: line.line_id,
        data_used_gb: floatText(line.data_used_gb),
        data_limit_gb: floatText(plan.data_limit_gb),
        data_refueling_gb: floatText(line.data_refueling_gb),
        cycle_end_date: "2025-02-28",
      };
    },
  }),
  enable_roaming: writeTool("Enables international roaming on a line", {
    parameters: ofLine,
    run: ({ company }, input) => setRoaming(lineIn(company, input), true),
  }),
  disable_roaming: writeTool("Disables international roaming on a line", {
    parameters: ofLine,
    run: ({ company }, input) => setRoaming(lineIn(company, input), false),
  }),
  transfer_to_human_agents: transferTool,
  refuel_data: writeTool("Adds data to a line, and charges the customer", {
    parameters: { ...ofLine, gb_amount: { type: "number" } },
    run: (state, { customer_id: customerId, line_id: lineId, gb_amount: amount }) => {
      if (typeof amount !== "number" && typeof amount !== "bigint")
        throw new PythonError("gb_amount must be a number.", { isLoose: true });
      return refuelData(state, { customerId: String(customerId), lineId: String(lineId), amount });
    },
  }),
};

/** What tasks prepare and check on the company's side. */
export const agentFunctions: DomainFunctions<TelecomState> = {
  set_data_usage: ({ company }, input) => {
    lineIn(company, input).data_used_gb = Number(input["data_used_gb"]);
  },
  suspend_line_for_overdue_bill: ({ company }, input) => suspendForOverdueBill(company, input as never),
  assert_data_refueling_amount: ({ company }, input) =>
    Math.abs(lineIn(company, input).data_refueling_gb - Number(input["expected_amount"])) < 1e-6,
  assert_line_status: ({ company }, input) => lineIn(company, input).status === input["expected_status"],
  assert_no_overdue_bill: ({ company: { bills } }, { overdue_bill_id: id }) => {
    const bill = bills.find((each) => each.bill_id === id);
    return bill === undefined || bill.status === "Paid";
  },
  assert_overdue_bill_exists: ({ company }, { customer_id: customerId, overdue_bill_id: id }) => {
    if (!customerOf(company, String(customerId)).bill_ids.includes(String(id)))
      throw new PythonError(`Overdue bill ${String(id)} not found`);
    if (billOf(company, String(id)).status !== "Overdue")
      throw new PythonError(`Overdue bill ${String(id)} is not overdue`);
    return true;
  },
};

function lineIn(company: Company, { customer_id: customerId, line_id: lineId }: DomainInput): Line {
  return lineOfCustomer(company, String(customerId), String(lineId));
}

function detailsOf(company: Company, id: string): unknown {
  const details = detailsByLetter[id.charAt(0)];
  if (!details) throw new PythonError(`Unknown ID format or type: ${id}`);
  return details(company, id);
}

const detailsByLetter: Readonly<Record<string, (company: Company, id: string) => unknown>> = {
  L: (company, id) => dump(lineType, lineOf(company, id)),
  D: (company, id) => dump(deviceType, deviceOf(company, id)),
  B: (company, id) => dump(billType, billOf(company, id)),
  C: (company, id) => dump(customerType, customerOf(company, id)),
  P: (company, id) => dump(planType, planOf(company, id)),
};

function listBills(company: Company, customerId: string, limit: number | undefined): unknown[] {
  const bills = customerOf(company, customerId).bill_ids.map((id) => billOf(company, id));
  const newest = bills.toSorted((one, other) => compareText(other.issue_date, one.issue_date));
  // A negative limit counts from the end, as in Python.
  return newest.slice(0, limit).map((bill) => dump(billType, bill));
}

function compareText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function setRoaming(line: Line, isEnabled: boolean): string {
  const word = isEnabled ? "enabled" : "disabled";
  if (line.roaming_enabled === isEnabled) return `Roaming was already ${word}`;
  line.roaming_enabled = isEnabled;
  return `Roaming ${word} successfully`;
}
