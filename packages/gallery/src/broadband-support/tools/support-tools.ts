import type { SupportTool } from "../support-tool.ts";
import { accountTools } from "./account-tools.ts";
import { billingTools } from "./billing-tools.ts";
import { contactTools } from "./contact-tools.ts";
import { faultTools } from "./fault-tools.ts";
import { orderTools } from "./order-tools.ts";
import { serviceTools } from "./service-tools.ts";

/** Every tool of the agent but the one that talks to the customer. */
export const supportTools: Readonly<Record<string, SupportTool>> = {
  ...accountTools,
  ...serviceTools,
  ...billingTools,
  ...orderTools,
  ...faultTools,
  ...contactTools,
};

/** Whether a call of the tool ends the contact. */
export function endsContact(tool: string): boolean {
  return Object.hasOwn(contactTools, tool);
}
