import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { tableApp } from "../packages/core/src/app/built-in.ts";
import { environment } from "../packages/core/src/environment/environment.ts";
import { gallery } from "@biplane/gallery";
import { allow, ask, deny } from "../packages/core/src/call/policy.ts";
import { openStore } from "../packages/biplane/src/store/sql-store.ts";
import { openApprovals } from "../packages/biplane/src/governance/approvals/approvals.ts";
import { server } from "../packages/core/src/server/server.ts";
import { fragile } from "./fragile.ts";
import { tool } from "../packages/core/src/tool/tool.ts";
import { serve } from "../packages/core/src/wire/serve.ts";

/** The server under test: the gallery, four difficult environments, one in production, a table and a till. */
const narrow = environment({
  name: "narrow",
  version: "1.0.0",
  description: "Accepts two episodes at a time.",
  maxEpisodes: 2,
  start: () => ({}),
  observe: () => ({}),
  tools: (tool) => ({ nothing_do: tool({ description: "Do nothing", run: () => "nothing" }) }),
});

const difficult = environment({
  name: "difficult",
  version: "1.0.0",
  description: "Fails, dawdles and talks too much, on request.",
  start: () => ({ counted: 0 }),
  observe: ({ counted }) => ({ counted }),
  tools: (tool) => ({
    error_throw: tool({
      description: "Fail",
      run: (_, { state }) => {
        state.counted = 999;
        throw new Error("kaput");
      },
    }),
    number_count: tool({ description: "Count up", run: (_, { state }) => ++state.counted }),
    time_waste: tool({
      description: "Take longer than allowed",
      timeoutMs: 200,
      run: async () => {
        await sleep(5000, undefined, { ref: false });
      },
    }),
    text_repeat: tool({
      description: "Say a word many times",
      input: {
        type: "object",
        properties: { word: { type: "string" }, times: { type: "integer", minimum: 0 } },
        required: ["word", "times"],
      },
      run: ({ word, times }) => word.repeat(times),
    }),
  }),
});

const unjudged = environment({
  name: "unjudged",
  version: "1.0.0",
  description: "Loses its judge at the second count, and ends at the third.",
  start: () => ({ counted: 0 }),
  observe: ({ counted }) => ({ counted }),
  tools: (tool) => ({
    number_count: tool({
      description: "Count up",
      input: { type: "object", properties: { action: { type: "string" } } },
      run: (_, { state }) => void state.counted++,
    }),
  }),
  reward: ({ after }) => {
    if (after.counted === 2) throw new Error("the judge has left");
    return 1;
  },
  status: ({ counted }) => ({ terminated: counted >= 3 }),
  onFault: () => undefined,
});

const released = environment({
  name: "released",
  version: "1.0.0",
  description: "Is in production, and ends after three counts.",
  mode: "production",
  policies: [() => allow()],
  start: () => ({ counted: 0 }),
  observe: ({ counted }) => ({ counted }),
  tools: (tool) => ({
    number_count: tool({ description: "Count up", run: (_, { state }) => ++state.counted }),
    call_await: tool({
      description: "Wait until the call is cancelled",
      timeoutMs: 60_000,
      run: (_, { signal }) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true }),
        ),
    }),
  }),
  status: ({ counted }) => ({ terminated: counted >= 3 }),
});

const fleeting = environment({
  name: "fleeting",
  version: "1.0.0",
  description: "Ends an episode at once if no client holds it.",
  idleMs: 20,
  start: () => ({}),
  observe: () => ({}),
  tools: (tool) => ({ nothing_do: tool({ description: "Do nothing", run: () => "nothing" }) }),
});

const cities = server({
  name: "cities",
  version: "1.0.0",
  tools: [
    tool({
      name: "cities_list",
      description: "List cities with at least so many people",
      input: { type: "object", properties: { least: { type: "number" } }, required: ["least"] },
      annotations: { readOnlyHint: true },
      ui: tableApp(),
      run: ({ least }) => ({ columns: ["city", "people"], rows: people.filter(([, count]) => count >= least) }),
    }),
  ],
});

const people: readonly (readonly [string, number])[] = [
  ["Oslo", 700_000],
  ["Rome", 2_800_000],
  ["Lima", 10_000_000],
];

const approvals = openApprovals({ store: await openStore(":memory:") });
const output = { type: "object", properties: { refunded: { type: "number" } }, required: ["refunded"] } as const;

const till = server({
  name: "till",
  version: "1.0.0",
  limits: false,
  approver: approvals,
  policies: [
    (_, name, input) => {
      if (name === "forbidden") return deny("Nobody may call this tool.");
      return name === "refund" ? ask(`Refund ${String((input as { amount: number }).amount)}?`) : allow();
    },
  ],
  tools: [
    tool({
      name: "refund",
      description: "Refund an amount, after approval",
      input: { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] },
      output,
      run: ({ amount }) => ({ refunded: amount }),
    }),
    tool({ name: "forbidden", description: "Denied by a policy", output, run: () => ({ refunded: 0 }) }),
    tool({
      name: "late",
      description: "Time out",
      output,
      timeoutMs: 20,
      run: () => new Promise<never>(() => undefined),
    }),
    tool({
      name: "broken",
      description: "Fail",
      output,
      run: () => {
        throw new Error("kaput");
      },
    }),
  ],
});

const person = server({
  name: "person",
  version: "1.0.0",
  tools: [
    tool({
      name: "approve",
      description: "Approve a call of the till, as a person would on the page",
      input: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
      run: async ({ id }) => {
        await approvals.answer([id], { verdict: "approve" }, { kind: "person", id: "ada", scopes: [] });
      },
    }),
  ],
});

const { port } = parseArgs({ options: { port: { type: "string", default: "0" } } }).values;
const environments = [
  ...Object.values(gallery).map((make) => make()),
  narrow,
  difficult,
  unjudged,
  fleeting,
  fragile(),
];
const listening = await serve([...environments, released, cities, till, person], { url: `http://127.0.0.1:${port}` });
console.log(JSON.stringify({ url: listening.url, names: environments.map(({ name }) => name) }));
process.once("SIGTERM", () => void listening.close().then(() => process.exit(0)));
