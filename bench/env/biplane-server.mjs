// Ours, as built. Prints its address.
import { monitorEventLoopDelay } from "node:perf_hooks";
import { environment } from "biplane";
import { gallery } from "biplane/gallery";

const [, , kind] = process.argv;
const options = { url: "http://127.0.0.1:0" };
const made = kind === "waiting" ? counter() : gallery[kind]();
const { url } = await made.serve(options);
process.stdout.write(`${url}\n`);

// Asked on standard input, it tells the longest time its event loop was held up since it was last asked, in ms.
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
process.stdin.on("data", () => {
  process.stdout.write(`${(delay.max / 1e6).toFixed(1)}\n`);
  delay.reset();
});

/** As many episodes as are asked for. */
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
