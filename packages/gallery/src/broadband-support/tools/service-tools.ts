import { addDays, addons, daysBetween, fastest, monthlyPrice, plans, contactDay } from "../catalogue.ts";
import { servedPostcodes } from "../data/initial-tables.ts";
import { policyLimits } from "../policy.ts";
import type { SupportRecords } from "../records.ts";
import { date, lineId, postcode, supportTool } from "../support-tool.ts";
import type { AddonId, LineRecord, PlanId } from "../tables.ts";

const planId = { enum: Object.keys(plans) as PlanId[], description: "A plan; plan_list has prices and speeds" };
const endDate = { ...date, description: "The last day of service, such as 2026-04-15" };

export const serviceTools = {
  line_get: supportTool({
    description: "Get a line: technology, plan, add-ons, minimum term, pauses, monthly price, and its visits.",
    parameters: { line_id: lineId },
    run: ({ records }, { line_id: id }) => {
      const { line_fault: _, ...line } = records.get("lines", id);
      const visits = records.all("visits").filter((visit) => visit.line_id === id);
      return { ...line, monthly_price: monthlyPrice(line), visits };
    },
  }),
  plan_list: supportTool({
    description: "List the plans with price and speed, the prices of add-ons, and what each technology carries.",
    parameters: {},
    run: () => ({ plans, addons, fastest_mbits: fastest }),
  }),
  plan_change: supportTool({
    description: "Change the plan of a line. Pass the fee that the policy asks for (0 if none).",
    writes: true,
    parameters: {
      line_id: lineId,
      plan: planId,
      effective: { enum: ["now", "next_month"] },
      fee: { type: "number", minimum: 0, maximum: 1000, description: "The fee in euros" },
    },
    run: ({ records }, { line_id: id, plan, effective, fee }) => {
      const line = activeLine(records, id);
      if (line.plan === plan) throw new Error(`${id} has the plan ${plan} already.`);
      if (plans[plan].mbits > fastest[line.technology])
        throw new Error(
          `${id} is a ${line.technology} line, which carries at most ${fastest[line.technology]} Mbit/s.`,
        );
      const fees = fee > 0 ? [...line.fees, { reason: "downgrade" as const, amount: fee }] : line.fees;
      const changed = records.update("lines", id, effective === "now" ? { plan, fees } : { next_plan: plan, fees });
      return { line_id: id, plan: changed.plan, next_plan: changed.next_plan, fee, new_price: plans[plan].price };
    },
  }),
  addon_set: supportTool({
    description: "Add an add-on to a line, or remove it. It begins or ends at once.",
    writes: true,
    parameters: {
      line_id: lineId,
      addon: { enum: Object.keys(addons) as AddonId[] },
      action: { enum: ["add", "remove"] },
    },
    run: ({ records }, { line_id: id, addon, action }) => {
      const line = activeLine(records, id);
      const isBooked = line.addons.includes(addon);
      if (isBooked === (action === "add"))
        throw new Error(`${id} ${isBooked ? "has" : "does not have"} ${addon}. line_get shows its add-ons.`);
      const booked = isBooked ? line.addons.filter((each) => each !== addon) : [...line.addons, addon].toSorted();
      const changed = records.update("lines", id, { addons: booked });
      return { line_id: id, addons: booked, monthly_price: monthlyPrice(changed) };
    },
  }),
  line_pause: supportTool({
    description: "Pause a line from today for whole months. The fee of the policy is charged.",
    writes: true,
    parameters: { line_id: lineId, months: { type: "integer", minimum: 1, maximum: policyLimits.pauseMonthsMax } },
    run: ({ records }, { line_id: id, months }) => {
      const line = activeLine(records, id);
      const until = addMonths(contactDay, months);
      const fee = months * policyLimits.pauseFeePerMonth;
      const fees = [...line.fees, { reason: "pause" as const, amount: fee }];
      records.update("lines", id, { status: "paused", paused_until: until, last_pause_on: contactDay, fees });
      return { line_id: id, paused_until: until, fee };
    },
  }),
  line_cancel_quote: supportTool({
    description: "Compute the fee for ending a line on a day. Changes nothing.",
    parameters: { line_id: lineId, ends_on: endDate },
    run: ({ records }, { line_id: id, ends_on: end }) => {
      const line = activeLine(records, id);
      return {
        line_id: id,
        ends_on: end,
        earliest: addDays(contactDay, policyLimits.noticeDays),
        fee: endFee(line, end),
      };
    },
  }),
  line_cancel: supportTool({
    description: "Cancel a line on a day. Pass the fee that the policy asks for (0 if none).",
    writes: true,
    parameters: {
      line_id: lineId,
      ends_on: endDate,
      fee: { type: "number", minimum: 0, maximum: policyLimits.endFeeMax, description: "The fee in euros" },
    },
    run: ({ records }, { line_id: id, ends_on: end, fee }) => {
      const line = activeLine(records, id);
      const earliest = addDays(contactDay, policyLimits.noticeDays);
      if (end < earliest)
        throw new Error(`The notice is ${policyLimits.noticeDays} days. The earliest day is ${earliest}.`);
      const fees = fee > 0 ? [...line.fees, { reason: "early_end" as const, amount: fee }] : line.fees;
      records.update("lines", id, { status: "cancelled", ends_on: end, fees });
      return { line_id: id, ends_on: end, fee };
    },
  }),
  address_check: supportTool({
    description: "Say whether we serve a postcode.",
    parameters: { postcode },
    run: (_, { postcode: code }) => ({ postcode: code, served: servedPostcodes.includes(code.slice(0, 2)) }),
  }),
};

function activeLine(records: SupportRecords, id: string): LineRecord {
  const line = records.get("lines", id);
  if (line.status === "active") return line;
  throw new Error(`${id} is ${line.status}. Only an active line can be changed.`);
}

function endFee({ term_ends_on: termEnd }: LineRecord, end: string): number {
  const days = Math.max(0, daysBetween(end, termEnd));
  return Math.min(policyLimits.endFeeMax, Math.ceil(days / 30) * policyLimits.endFeePer30Days);
}

function addMonths(from: string, months: number): string {
  const day = new Date(`${from}T00:00:00Z`);
  day.setUTCMonth(day.getUTCMonth() + months);
  return day.toISOString().slice(0, 10);
}
