import { expect, test } from "vitest";
import { within } from "../support/within.ts";
import { openServedGateway } from "./admin-server.ts";

const soon = 5000;

test("the status of a module is sent at once and on every change", async () => {
  let module: { version: number; problem: string | null } = { version: 3, problem: null };
  await using gateway = await openServedGateway({ kit: { module: () => module } });
  const reader = await gateway.listen("/api/events?topics=module", await gateway.logIn());
  expect(await within(soon, "the first", reader.next("module"))).toEqual({ version: 3, problem: null });
  module = { version: 3, problem: "src/page.ts:3:1: Unexpected end of file" };
  gateway.kit.bus.publish("module", module);
  expect(await within(soon, "the second", reader.next("module"))).toEqual(module);
});

test("without a watched module, no module event is sent", async () => {
  await using gateway = await openServedGateway({ kit: { events: { figuresMs: 20 } } });
  const reader = await gateway.listen("/api/events?topics=module,figures", await gateway.logIn());
  for (let turn = 0; turn < 3; turn++) await within(soon, "figures", reader.next("figures"));
  expect(reader.events.map(({ event }) => event)).not.toContain("module");
});
