import { freeSlots, contactDay } from "../catalogue.ts";
import { testLine } from "../home-network.ts";
import type { SupportRecords } from "../records.ts";
import { lineId, postcode, supportTool, visitId } from "../support-tool.ts";
import type { LineRecord, OutageRecord } from "../tables.ts";

const slot = { enum: freeSlots, description: "A free slot; visit_slots lists them" };

export const faultTools = {
  outage_check: supportTool({
    description: "Get the current outage of a postcode, and past ones with their full days.",
    parameters: { postcode },
    run: ({ records }, { postcode: code }) => {
      const outages = outagesAt(records, code);
      return { current: outages.find(isCurrent) ?? null, past: outages.filter((each) => !isCurrent(each)) };
    },
  }),
  line_test: supportTool({
    description:
      "Test a line from our side: outage, no_router (no router answers), line_fault, no_session (the router is not signed in) or ok. It does not see the Wi-Fi.",
    parameters: { line_id: lineId },
    run: ({ records, home }, { line_id: id }) => {
      const line = records.get("lines", id);
      return { line_id: id, status: testLine(home, { line, hasOutage: hasOutage(records, line) }) };
    },
  }),
  visit_slots: supportTool({
    description: "List when a technician is free.",
    parameters: {},
    run: () => ({ slots: freeSlots }),
  }),
  visit_book: supportTool({
    description: "Book a technician for a line in a free slot.",
    writes: true,
    parameters: { line_id: lineId, slot },
    run: ({ records }, { line_id: id, slot: chosen }) => {
      records.get("lines", id);
      const booked = records.all("visits").find((visit) => visit.line_id === id && visit.status === "booked");
      if (booked) throw new Error(`${id} has the visit ${booked.id} on ${booked.slot}. Move it with visit_move.`);
      return records.add("visits", { line_id: id, slot: chosen, status: "booked", compensated: false });
    },
  }),
  visit_move: supportTool({
    description: "Move a booked visit to another free slot.",
    writes: true,
    parameters: { visit_id: visitId, slot },
    run: ({ records }, { visit_id: id, slot: chosen }) => {
      const { status, slot: current } = records.get("visits", id);
      if (status !== "booked") throw new Error(`${id} is ${status}. Only a booked visit can be moved.`);
      if (current.slice(0, 10) <= contactDay)
        throw new Error(`${id} is today. It can be moved only until the day before.`);
      return records.update("visits", id, { slot: chosen });
    },
  }),
};

/** Whether there is an outage now where the line is. */
export function hasOutage(records: SupportRecords, { customer_id: owner }: LineRecord): boolean {
  return outagesAt(records, records.get("customers", owner).postcode).some(isCurrent);
}

function outagesAt(records: SupportRecords, code: string): OutageRecord[] {
  return records.all("outages").filter(({ area }) => code.startsWith(area));
}

function isCurrent({ ended_on: end }: OutageRecord): boolean {
  return end === null;
}
