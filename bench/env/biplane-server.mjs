// Our server from dist/. Prints its address.
import { monitorEventLoopDelay } from "node:perf_hooks";
import { environment } from "biplane";
import { gallery } from "biplane/gallery";

const [, , kind] = process.argv;
const options = { url: "http://127.0.0.1:0" };
const made = kind === "waiting" ? counter() : gallery[kind]();
const { url } = await made.serve(options);
process.stdout.write(`${url}\n`);

// For each line on standard input, prints the longest event-loop delay since the last one, in ms.
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
process.stdin.on("data", () => {
  process.stdout.write(`${(delay.max / 1e6).toFixed(1)}\n`);
  delay.reset();
});

/** No limit on episodes. */
function counter() {
  return environment({
    name: "counter",
    version: "1.0.0",
    maxEpisodes: 20_000,
    start: () => ({ count: 0, board: Array.from({ length: 42 }, () => 0) }),
    observe: ({ count }) => ({ count }),
    tools: (tool) => ({ add: tool({ run: (_, { state }) => ({ count: ++state.count }) }) }),
    reward: () => 1,
  });
}
