// Our server from dist/. Prints its address.
import { monitorEventLoopDelay } from "node:perf_hooks";
import { gallery } from "biplane/gallery";
import { counter } from "../fleet/counter.mjs";

const [, , kind] = process.argv;
const options = { url: "http://127.0.0.1:0" };
const made = kind === "waiting" ? counter({ name: "counter", maxEpisodes: 20_000 }) : gallery[kind]();
const { url } = await made.serve(options);
process.stdout.write(`${url}\n`);

// For each line on standard input, prints the longest event-loop delay since the last one, in ms.
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
process.stdin.on("data", () => {
  process.stdout.write(`${(delay.max / 1e6).toFixed(1)}\n`);
  delay.reset();
});
