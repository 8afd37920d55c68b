import { setTimeout as wait } from "node:timers/promises";
import type { Admin } from "./admin.ts";
import { Chance } from "./chance.ts";
import { minute, pass, second } from "./clock.ts";
import type { Staff, TokenName } from "./people.ts";
import { articles, customers, nameOf, orderIds, totalOf } from "./shop.ts";

interface Caller {
  readonly token: TokenName;
  readonly agent: string;
  readonly model: string;
}

const support: Caller = { token: "support-bot", agent: "support-assistant", model: "claude-sonnet-4-5" };
const refunds: Caller = { token: "refund-agent", agent: "refund-bot", model: "gpt-5" };
const night: Caller = { token: "night-shift", agent: "night-assistant", model: "gpt-5-mini" };

export interface TrafficOptions {
  readonly url: string;
  readonly ada: Admin;
  readonly staff: Staff;
  /** Until when, in milliseconds since 1970. */
  readonly until: number;
}

/** The calls of a day: quiet at night, with refunds and letters that people answer, and some that nobody does. */
export async function makeTraffic(options: TrafficOptions): Promise<void> {
  const { until, ada, staff } = options;
  const chance = new Chance(11);
  const call = caller(options);
  await call(support, "script_run", { name: "daily_report" });
  while (Date.now() < until) {
    const isNight = new Date().getUTCHours() < 6;
    const who = isNight ? night : chance.next() < 0.7 ? support : refunds;
    // As many as `keepCalling` makes, so that its calls do not tower above those of the day.
    for (let at = isNight ? chance.whole(2, 8) : chance.whole(10, 30); at > 0; at--) {
      await readSomething(call, who, chance);
      pass(chance.between(1, 12) * second);
    }
    const order = chance.one(orderIds(chance.one(customers)));
    if (chance.next() < 0.3) await call(who, "order_refund", { order, amount: chance.whole(8, 90), reason: "damaged" });
    if (chance.next() < 0.12) await call(who, "order_cancel", { order });
    if (chance.next() < 0.2)
      await askForRefund(call, { chance, who, order, answerer: chance.next() < 0.75 ? staff.ben : ada });
    const rest = chance.between(isNight ? 20 : 6, isNight ? 60 : 22) * minute;
    pass(Math.min(rest, Math.max(second, until - Date.now())));
  }
}

/** The last minutes: calls that still wait, of which one is long, and some that are just over. */
export async function leaveWaiting({ ada, ...options }: TrafficOptions): Promise<void> {
  const call = caller(options);
  const chance = new Chance(23);
  const [mara = "", , , tomas = ""] = customers;
  const order = orderIds(mara)[1] ?? "";
  await call(refunds, "customer_get", { customer: mara });
  await call(refunds, "order_get", { order });
  await call(refunds, "order_refund", {
    order,
    amount: 349.5,
    reason: "The tent leaks at the seams; photos are in the ticket.",
  });
  pass(70 * second);
  await call(support, "mail_send", { to: "tomas.ruiz@example.com", subject: "Your return", text: longLetter });
  pass(50 * second);
  await call(refunds, "order_search", { customer: tomas });
  await call(refunds, "order_get", { order: orderIds(tomas)[0] });
  await call(refunds, "order_refund", { order: orderIds(tomas)[0], amount: 129, reason: "Delivered twice" });
  pass(40 * second);
  await call(support, "customer_delete", { customer: customers[6] });
  const { approvals } = await ada.ask<{ approvals: { id: string; tool: string }[] }>(
    "GET /api/approvals?status=waiting",
  );
  await standingLetter(call, options.staff.ben);
  const [letter] = approvals.filter(({ tool }) => tool === "mail_send");
  if (letter) await ada.ask("POST /api/approvals/assign", { ids: [letter.id], to: "ben" });
  for (let at = 0; at < 14; at++) {
    await readSomething(call, at % 3 === 0 ? refunds : support, chance);
    pass(chance.between(2, 9) * second);
  }
  // Until now, so that the newest calls follow without a gap.
  while (Date.now() < options.until + 25 * minute - 10 * second) {
    await readSomething(call, chance.next() < 0.7 ? support : refunds, chance);
    pass(chance.between(9, 45) * second);
  }
}

/** Calls now and then until it is stopped, so that something is live. */
export function keepCalling(options: TrafficOptions): () => void {
  const call = caller(options);
  const chance = new Chance(31);
  const timer = setInterval(() => void readSomething(call, chance.next() < 0.7 ? support : refunds, chance), 1500);
  return () => clearInterval(timer);
}

type Call = (who: Caller, tool: string, input: unknown) => Promise<number>;

function caller({ url, staff }: Pick<TrafficOptions, "url" | "staff">): Call {
  return async ({ token, agent, model }, tool, input) => {
    const body = JSON.stringify({ tool, arguments: input, agent: { agent_id: agent, model } });
    const headers = { authorization: `Bearer ${staff.tokens[token]}`, "content-type": "application/json" };
    return (await fetch(`${url}/mcp/execute`, { method: "POST", headers, body })).status;
  };
}

async function readSomething(call: Call, who: Caller, chance: Chance): Promise<void> {
  const customer = chance.one(customers);
  const luck = chance.next();
  if (luck < 0.3) await call(who, "order_search", { customer });
  else if (luck < 0.6)
    await call(who, "order_get", { order: chance.next() < 0.08 ? "O-9999" : chance.one(orderIds(customer)) });
  else if (luck < 0.8) await call(who, "customer_get", { customer });
  else if (luck < 0.97) await call(who, "stock_check", { article: chance.one(articles) });
  else await call(who, "stock_check", { piece: 3 });
}

interface Asked {
  readonly chance: Chance;
  readonly who: Caller;
  readonly order: string;
  readonly answerer: Admin;
}

/** A call that asks. Somebody approves or rejects it after some minutes, or nobody does until it expires. */
async function askForRefund(call: Call, { chance, who, order, answerer }: Asked): Promise<void> {
  const isLetter = chance.next() < 0.4;
  const customer = customers.find((each) => orderIds(each).includes(order)) ?? "";
  const to = `${nameOf(customer)
    .toLowerCase()
    .replaceAll(" ", ".")
    .normalize("NFD")
    .replaceAll(/[^a-z.]/g, "")}@example.com`;
  const letter = { to, subject: `Your order ${order}`, text: `Dear ${nameOf(customer)}, your refund is on its way.` };
  const refund = { order, amount: Math.max(101, Math.round(totalOf(order))), reason: chance.one(reasons) };
  const again = () => (isLetter ? call(who, "mail_send", letter) : call(who, "order_refund", refund));
  if ((await again()) !== 202) return;
  await wait(noticeMs);
  const luck = chance.next();
  if (luck < 0.12) return;
  pass(chance.between(2, 25) * minute);
  const { approvals } = await answerer.ask<{ approvals: { id: string }[] }>(
    "GET /api/approvals?status=waiting&limit=1",
  );
  const ids = approvals.map(({ id }) => id);
  if (ids.length === 0) return;
  if (luck < 0.3) {
    await answerer.ask("POST /api/approvals/answer", { ids, verdict: "reject", reason: chance.one(refusals) });
    return;
  }
  const scope = luck > 0.93 ? { kind: "always" } : luck > 0.89 ? standing : { kind: "once" };
  await answerer.ask("POST /api/approvals/answer", {
    ids,
    verdict: "approve",
    ...(!isLetter || scope !== standing ? { scope } : {}),
  });
  pass(chance.between(1, 30) * second);
  await again();
}

/** A letter that is sent every day, and needs no answer any more. */
async function standingLetter(call: Call, ben: Admin): Promise<void> {
  const letter = { to: "warehouse@example.com", subject: "Returns of today", text: "Four parcels are on their way." };
  await call(night, "mail_send", letter);
  const path = "GET /api/approvals?status=waiting&principal=night-shift";
  const { approvals } = await ben.ask<{ approvals: { id: string }[] }>(path);
  const ids = approvals.map(({ id }) => id);
  await ben.ask("POST /api/approvals/answer", { ids, verdict: "approve", scope: { kind: "always" } });
  await call(night, "mail_send", letter);
}

const standing = { kind: "pattern", pattern: { tool: "order_refund", arguments: { amount: { max: 150 } } } };
/** Messages about waiting calls are sent at least this often, in real time. */
const noticeMs = 2200;
const reasons = ["Returned unused", "Wrong size", "Arrived damaged", "Parcel lost"];
const refusals = [
  "The return has not arrived yet.",
  "This was refunded last week.",
  "Ask the customer for a photo first.",
];

const longLetter = `Dear Tomás Ruiz,

thank you for sending back the tent. Our workshop looked at it today, and we agree: the seam at the rear entrance was glued badly, and no amount of sealing would have kept the rain out for long.

What happens next:

1. We refund the full price of 389.00 € to the card you paid with. It takes two to five working days.
2. The label that you printed stays valid until the end of the month, so please also send the footprint if you still have it. We refund it when it arrives.
3. If you would rather have a new tent, answer this letter within a week. The new series has welded seams, and we would send one at our expense before your trip on the 28th.

We are sorry about the night on the Hochschwab. As a small apology, the voucher GW-C-1168 over 25 € is in your account, valid for two years and for everything except books.

If anything is unclear, answer this letter or call us between 8 and 18 o'clock. Your ticket is T-20519.

With kind regards
The support team
`;
