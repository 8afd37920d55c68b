import { pythonStr } from "../../rollout/python/text.ts";
import { PythonFloat } from "../../rollout/python/json.ts";
import { found, PythonError } from "../python-error.ts";
import { toCents } from "../python-number.ts";
import type { Bill, Company, Customer, Line, TelecomState } from "./telecom-models.ts";

export const today = "2025-02-25";

/** Finds an entry of a table by one of its fields. */
function finder<Table extends keyof Company>(
  table: Table,
  { by, name }: { readonly by: keyof Company[Table][number]; readonly name: string },
) {
  return (company: Company, value: string): Company[Table][number] => {
    const entries: readonly Company[Table][number][] = company[table];
    return found(
      entries.find((entry) => entry[by] === value),
      `${name} ${value} not found`,
    );
  };
}

export const customerOf = finder("customers", { by: "customer_id", name: "Customer with ID" });
export const lineOf = finder("lines", { by: "line_id", name: "Line with ID" });
export const lineWithNumber = finder("lines", { by: "phone_number", name: "Line with phone number" });
export const planOf = finder("plans", { by: "plan_id", name: "Plan with ID" });
export const billOf = finder("bills", { by: "bill_id", name: "Bill with ID" });
export const deviceOf = finder("devices", { by: "device_id", name: "Device with ID" });

/** By the customer's own number, or that of a line. */
export function customerWithNumber(company: Company, number: string): Customer {
  const isMeant = ({ phone_number: own, line_ids: lines }: Customer) =>
    own === number || lines.some((id) => lineOf(company, id).phone_number === number);
  return found(company.customers.find(isMeant), `Customer with phone number ${number} not found`);
}

export function lineOfCustomer(company: Company, customerId: string, lineId: string): Line {
  if (!customerOf(company, customerId).line_ids.includes(lineId))
    throw new PythonError(`Line ${lineId} not found for customer ${customerId}`);
  return lineOf(company, lineId);
}

export function billsAwaitingPayment(company: Company, { bill_ids: ids }: Customer): Bill[] {
  return ids.map((id) => billOf(company, id)).filter(({ status }) => status === "Awaiting Payment");
}

/** Adds data to a line, and the charge to the customer's next bill. */
export function refuelData(
  state: TelecomState,
  { customerId, lineId, amount }: { customerId: string; lineId: string; amount: number | bigint },
): { message: string; new_data_refueling_gb: string; charge: string } {
  const { company } = state;
  const line = lineOfCustomer(company, customerId, lineId);
  const gigabytes = Number(amount);
  if (gigabytes <= 0) throw new PythonError("Refuel amount must be positive");
  const { data_refueling_price_per_gb: price } = planOf(company, line.plan_id);
  const charge = gigabytes * price;
  line.data_refueling_gb += gigabytes;
  const shown = typeof amount === "bigint" ? String(amount) : floatText(amount);
  addCharge(state, customerId, {
    amount: charge,
    description: `Data refueling: ${shown} GB at $${floatText(price)}/GB`,
  });
  return {
    message: `Successfully added ${shown} GB of data for line ${lineId} for $${toCents(charge)}`,
    new_data_refueling_gb: floatText(line.data_refueling_gb),
    charge: floatText(charge),
  };
}

function addCharge(state: TelecomState, customerId: string, item: { amount: number; description: string }): void {
  const { company } = state;
  const customer = customerOf(company, customerId);
  const draft = customer.bill_ids.map((id) => billOf(company, id)).find(({ status }) => status === "Draft");
  const bill = draft ?? newBill(state, customer);
  const { amount, description } = item;
  bill.line_items.push({ description, amount, date: today, item_type: amount < 0 ? "Credit" : "Charge" });
  bill.total_due += amount;
}

function newBill(state: TelecomState, { customer_id: customerId, bill_ids: ids }: Customer): Bill {
  const id = `B${String(++state.billCount).padStart(8, "0")}`;
  const bill: Bill = {
    bill_id: id,
    customer_id: customerId,
    ...datesIn("2025-03"),
    total_due: 0,
    line_items: [],
    status: "Draft",
  };
  state.company.bills.push(bill);
  ids.push(id);
  return bill;
}

function datesIn(month: string): Pick<Bill, "period_start" | "period_end" | "issue_date" | "due_date"> {
  const first = `${month}-01`;
  return { period_start: first, period_end: `${month}-31`, issue_date: first, due_date: `${month}-15` };
}

interface OverdueBill {
  readonly customer_id: string;
  readonly line_id: string;
  readonly new_bill_id: string;
  readonly contract_ended: boolean;
}

/** Prepares a task: last month's bill of a line is overdue, and the line is suspended. */
export function suspendForOverdueBill(company: Company, given: OverdueBill): string {
  const { customer_id: customerId, line_id: lineId, new_bill_id: id, contract_ended: hasEnded } = given;
  const line = lineOf(company, lineId);
  if (line.status !== "Active") throw new PythonError("Line must be active to suspend for unpaid bill");
  const amount = planOf(company, line.plan_id).price_per_month;
  if (amount <= 0) throw new PythonError("Amount must be positive for overdue bill");
  const customer = customerOf(company, customerId);
  if (customer.bill_ids.some((each) => billOf(company, each).status === "Overdue"))
    throw new PythonError("Customer already has an overdue bill");
  company.bills.push({
    bill_id: id,
    customer_id: customerId,
    ...datesIn("2025-01"),
    total_due: amount,
    line_items: [{ description: `Charge for line ${lineId}`, amount, date: today, item_type: "Charge" }],
    status: "Overdue",
  });
  customer.bill_ids.push(id);
  line.status = "Suspended";
  line.suspension_start_date = today;
  if (hasEnded) line.contract_end_date = "2025-01-31";
  return `Line ${lineId} suspended for unpaid bill ${id}. Contract ended: ${pythonStr(hasEnded)}`;
}

/** A float as Python prints it. */
export function floatText(value: number): string {
  return pythonStr(new PythonFloat(value));
}
