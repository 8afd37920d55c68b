import { createHash } from "node:crypto";
import { writePythonJson } from "../../rollout/python/json.ts";
import type { DataFolder } from "../data-folder.ts";
import type { Domain } from "../domain.ts";
import { dump } from "../model.ts";
import type { Type } from "../model.ts";
import { readTasks } from "../read-domain.ts";
import { agentFunctions, agentTools } from "./agent-tools.ts";
import { billOf, billsAwaitingPayment, customerWithNumber, lineWithNumber, planOf } from "./company.ts";
import { companyType, phoneType } from "./telecom-models.ts";
import type { TelecomState } from "./telecom-models.ts";
import { userFunctions } from "./user-functions.ts";
import { userTools } from "./user-tools.ts";

/** A phone company: the agent has its database, and the user has the phone. */
export function telecomDomain(folder: DataFolder): Domain<TelecomState> {
  const company = companyType.load(folder.toml("db.toml"), "db.toml");
  const phone = phoneType.load(folder.toml("user_db.toml"), "user_db.toml");
  const main = folder.text("main_policy.md");
  const support = folder.text("tech_support_manual.md");
  return {
    name: "telecom",
    policy: `<main_policy>\n${main}\n</main_policy>\n<tech_support_policy>\n${support}\n</tech_support_policy>`,
    ...readTasks(folder),
    tools: { assistant: agentTools, user: userTools },
    functions: { assistant: agentFunctions, user: userFunctions },
    userGuidelines: folder.shared("simulation_guidelines_tools.md"),
    create: () => ({ company: structuredClone(company), phone: structuredClone(phone), billCount: 0 }),
    synchronize,
    hashes: (state) => [hashOf(companyType, state.company), hashOf(phoneType, state.phone)],
  };
}

/** The phone learns of its line, and the company of payments. */
function synchronize({ company, phone: { surroundings } }: TelecomState): void {
  const number = surroundings.phone_number;
  if (number === null) return;
  const line = lineWithNumber(company, number);
  surroundings.line_active = line.status === "Active";
  surroundings.roaming_allowed = line.roaming_enabled;
  const { data_limit_gb: limit } = planOf(company, line.plan_id);
  surroundings.mobile_data_usage_exceeded = line.data_used_gb >= limit + line.data_refueling_gb;
  const due = surroundings.payment_request;
  if (due?.paid) {
    billOf(company, due.bill_id).status = "Paid";
    surroundings.payment_request = null;
  }
  if (surroundings.payment_request) return;
  const [bill] = billsAwaitingPayment(company, customerWithNumber(company, number));
  if (bill) surroundings.payment_request = { bill_id: bill.bill_id, amount_due: bill.total_due, paid: false };
}

function hashOf<Value>(type: Type<Value>, value: Value): string {
  return createHash("sha256")
    .update(writePythonJson(dump(type, value)))
    .digest("hex");
}
