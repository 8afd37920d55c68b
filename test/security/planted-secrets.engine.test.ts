import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openGateway } from "../admin/openapi-server.ts";
import type { Gateway } from "../admin/openapi-server.ts";
import { encodings } from "../call/redact/encodings.ts";
import { searchFor } from "../call/redact/naive-search.ts";
import { wireEndpoints } from "../support/wire-endpoints.ts";
import { WireMessages } from "../support/wire-messages.ts";
import type { WireMessage } from "../support/wire-messages.ts";
import { isRecord } from "../../packages/core/src/is-record.ts";

const isSoak = process.env["BIPLANE_SOAK"] === "1";
/** Secrets planted in each endpoint. 100,000 in all with BIPLANE_SOAK=1. */
const rounds = isSoak ? Math.ceil(100_000 / wireEndpoints.length) : 3;

let gateway: Gateway;
let messages: WireMessages;
beforeAll(async () => {
  gateway = await openGateway({ scripts: { sample: "def main():\n  return 1\n" }, config: "name: gateway\n" });
  const session = await gateway.logIn();
  const { json } = await gateway.ask("POST /api/tokens", { label: "of the test" }, session);
  const person = { authorization: `Bearer ${String(json["token"])}` };
  messages = new WireMessages({ url: gateway.url, environment: "game", person });
});
afterAll(() => gateway[Symbol.asyncDispose]());

const letters = Array.from("abcXYZ019+/=-_ \"\\<>&%'é€世🔑");
const secret = fc
  .string({ unit: fc.constantFrom(...letters), minLength: 12, maxLength: 40 })
  .filter((value) => value.trim().length >= 12);
const spelling = fc.constantFrom(...Object.entries(encodings));
const planting = fc.record({ spelling, place: fc.nat(), flip: fc.boolean() });

test(
  `of ${rounds} secrets planted in the fields of each of ${wireEndpoints.length} endpoints, none comes back`,
  { timeout: isSoak ? 6 * 3_600_000 : 240_000 },
  async () => {
    expect(wireEndpoints.filter((name) => messages.of(name) === undefined)).toEqual([]);
    const leaks = new Map<string, string>();
    for (const [round, value] of fc.sample(secret, { numRuns: rounds, seed: 18 }).entries()) {
      await gateway.secrets.set("PLANTED", value);
      const search = searchFor(value);
      const plantings = fc.sample(planting, { numRuns: wireEndpoints.length, seed: round });
      for (const [at, name] of wireEndpoints.entries()) {
        const message = messages.of(name) as WireMessage;
        const {
          spelling: [encoding, encode],
          place,
          flip,
        } = plantings[at] as (typeof plantings)[number];
        const text = `·${encode(value, { flip: () => flip, bytes: () => new Uint8Array() }).text}·`;
        const left = place % placesIn(message.sample);
        const heard = await message.send(JSON.stringify(planted(message.sample, text, { left })));
        if (![heard, ...textsIn(heard)].some(search)) continue;
        if (isSoak) console.log(`${name} returns ${text}: ${heard}`);
        leaks.set(name, `${encoding}: ${heard.slice(0, 300)}`);
      }
      if (isSoak && round % 10 === 0)
        console.log(`${(round + 1) * wireEndpoints.length} planted, ${leaks.size} endpoints leak`);
    }
    expect(Object.fromEntries(leaks)).toEqual({});
  },
);

/** A value with a text in one of its places: as a text, or as the name of a key. */
function planted(value: unknown, text: string, place: { left: number }): unknown {
  const isHere = () => place.left-- === 0;
  if (Array.isArray(value)) return value.map((each) => planted(each, text, place));
  if (isRecord(value))
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [isHere() ? text : key, planted(each, text, place)]),
    );
  return isHere() ? text : value;
}

function placesIn(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  const inside = Object.values(value).reduce((sum: number, each) => sum + placesIn(each), 0);
  return inside + (Array.isArray(value) ? 0 : Object.keys(value).length);
}

/** Every text in a JSON that a wire sent. */
function textsIn(heard: string): string[] {
  const found: string[] = [];
  for (const line of heard.split("\n")) {
    const json = line.replace(/^data: ?/, "");
    if (!/^[[{"]/.test(json)) continue;
    try {
      JSON.parse(json, (key, value: unknown) => {
        found.push(key);
        if (typeof value === "string") found.push(value);
        return value;
      });
    } catch {
      found.push(json); // the first part of a stream may end anywhere
    }
  }
  return found;
}
