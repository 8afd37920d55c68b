import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { tableApp } from "../src/app/built-in.ts";
import { environment } from "../src/environment/environment.ts";
import { gallery } from "../src/gallery/gallery.ts";
import { server } from "../src/server/server.ts";
import { tool } from "../src/tool/tool.ts";
import { serve } from "../src/wire/serve.ts";

/** The server under test: the gallery as anyone would serve it, two environments that are there to be difficult, a table. */
const narrow = environment({
  name: "narrow",
  version: "1.0.0",
  description: "Has room for two.",
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
      run: ({ word, times }) => String(word).repeat(Number(times)),
    }),
  }),
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
      run: ({ least }) => ({ columns: ["city", "people"], rows: people.filter(([, count]) => count >= Number(least)) }),
    }),
  ],
});

const people: readonly (readonly [string, number])[] = [
  ["Oslo", 700_000],
  ["Rome", 2_800_000],
  ["Lima", 10_000_000],
];

const { port } = parseArgs({ options: { port: { type: "string", default: "0" } } }).values;
const environments = [...Object.values(gallery).map((make) => make()), narrow, difficult];
const listening = await serve([...environments, cities], { url: `http://127.0.0.1:${port}` });
console.log(JSON.stringify({ url: listening.url, names: environments.map(({ name }) => name) }));
process.once("SIGTERM", () => void listening.close().then(() => process.exit(0)));
