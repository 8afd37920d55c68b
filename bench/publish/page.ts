import { durableSection, landerSection, recoverySection, stepsSection } from "./episode-sections.ts";
import { ladderSection, latencySection, listsSection, memorySection, peersSection } from "./call-sections.ts";
import { losses } from "./losses.ts";
import { markdownTable } from "./markdown.ts";
import type { Results } from "./results.ts";

/** docs/benchmarks.md, from the figures alone. */
export function benchmarkPage(results: Results): string {
  const { ladder, lists, peers, latency, memory, steps, lander, durable, recovery } = results.parts;
  const sections = [
    introduction(results),
    ladder && ladderSection(ladder),
    lists && listsSection(lists),
    peers && peersSection(peers),
    latency && latencySection(latency),
    memory && memorySection(memory),
    steps && stepsSection(steps),
    lander && landerSection(lander),
    durable && durableSection(durable),
    recovery && recoverySection(recovery),
    lossSection(results),
    peerSection(results),
  ];
  return `${sections.filter((section) => section !== undefined).join("\n\n")}\n`;
}

function introduction({ machine, parts }: Results): string {
  const runs = Object.values(parts);
  const isQuick = runs.some((run) => run.isQuick);
  const busiest = Math.max(0, ...runs.map(({ loadAverage }) => loadAverage));
  const quick = isQuick
    ? `\n\n**These are figures of a quick run, with few requests and rounds. Use them to see what is measured, not to compare.**`
    : "";
  const isBusy = busiest > machine.cores * 1.5;
  const load = `The load average before a part was at most ${busiest.toFixed(1)}${isBusy ? ": **other programs used the machine**, so times and rates say little" : ""}.`;
  return `# Benchmarks

\`\`\`sh
npm run bench:publish                            # measure all, write bench/results/latest.json and this page
npm run bench:publish -- --only ladder,latency   # measure some parts again
npm run bench:publish -- --quick                 # fewer requests and rounds
npm run bench:publish -- --page                  # write this page again, without measuring
\`\`\`

This page is written by that command. [The raw figures](../bench/results/latest.json) have every round.${quick}

Measured on ${machine.cores} cores of "${machine.cpu}" with ${machine.memoryGb} GB of memory, ${machine.os}, Node ${machine.node}. Clients, servers and databases share this machine. ${load} Each section names its time and commit.

## How it is measured

- **Every server runs in its own process**, on loopback, from the built packages. A client in another process sends prepared bytes over 64 connections and checks the responses.
- **Ours and the others are measured in the same run**, in interleaved rounds that change their order. Cells show the median of the rounds, with the least and the greatest in brackets. A factor such as ×1.20 compares figures of the same round.
- **CPU time is that of the server process**, user and system, per request. It depends less on other load than time does. Requests per second are those of this machine, where the client takes a core.
- **The bare HTTP server** is \`node:http\` that reads and parses the request and sends the same bytes as Biplane. It checks nothing.
- **Latency is measured with an open loop.** Requests are due at fixed times, and each latency counts from the time at which the request was due. So a server that stalls cannot hide it by slowing the client down.
- A peer that cannot be installed or built on the machine is listed as absent.`;
}

function lossSection(results: Results): string {
  const found = losses(results);
  const list = found.length > 0 ? found.map((loss) => `- ${loss}`).join("\n") : "Nothing of the above.";
  return `## Where Biplane loses\n\nThe generator lists every comparison above that Biplane loses by more than 5 %. It compares medians, and of latencies the p99.\n\n${list}`;
}

function peerSection({ peers }: Results): string {
  const rows = peers.map(({ name, language, version, config }) => [
    name,
    language,
    version,
    `[${config}](../${config})`,
  ]);
  return `## Versions and configs of the others\n\n${markdownTable(["name", "language", "version", "config"], rows)}`;
}
