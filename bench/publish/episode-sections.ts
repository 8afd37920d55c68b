import { absentLines, runLine } from "./call-sections.ts";
import type { Durable } from "./durable.ts";
import type { Lander } from "./lander.ts";
import type { Run } from "./machine.ts";
import { markdownTable, shown, withSpread } from "./markdown.ts";
import type { Recovery } from "./recovery.ts";
import type { Steps } from "./steps.ts";

export function stepsSection({ rows, rounds, steps, episodes, absent, ...run }: Run & Steps): string {
  const cells = rows.map(({ server, protocol, requestsPerStep, perSecond, cpu }) => [
    protocol,
    server,
    String(requestsPerStep),
    withSpread(perSecond),
    withSpread(cpu),
  ]);
  return `## Steps by protocol

Steps of \`grid-world\` in ${episodes} episodes at once, in ${rounds} rounds of ${shown(steps)} steps (OpenEnv: a quarter of them).

${markdownTable(["protocol", "server", "requests", "steps/s", "CPU µs a step"], cells)}${absentLines(absent)}

${runLine(run)}`;
}

export function landerSection({ rows, steps, absent, ...run }: Run & Lander): string {
  const cells = rows.map(({ server, perCpuSecond }) => [server, withSpread(perCpuSecond)]);
  const measured = `Steps of the same flights for each second of CPU time, in process, in rounds of ${shown(steps)} steps. Every bit of both is compared.

${markdownTable(["physics", "steps per CPU second"], cells)}`;
  return `## Lunar Lander\n\n${rows.length > 0 ? measured : "Not measured."}${absentLines(absent)}\n\n${runLine(run)}`;
}

export function durableSection({ rows, absent, ...run }: Run & Durable): string {
  const [sizes = []] = rows.map(({ episodes }) => episodes);
  const cells = rows.map(({ store, isIdle, megabytes, heapMegabytes, storeMegabytes, episodes }) => [
    store === "memory" ? "memory only" : `saved in ${store}${isIdle ? ", idle" : ""}`,
    ...megabytes.map((figure) => shown(figure)),
    shown(growthInKb(heapMegabytes, episodes)),
    shown(store === "memory" ? NaN : (storeMegabytes.at(-1) ?? NaN)),
  ]);
  const most = shown(sizes.at(-1) ?? NaN);
  const head = [
    "episodes",
    ...sizes.map((size) => `${shown(size)} open`),
    "kB of heap each",
    `store, ${most} episodes`,
  ];
  return `## Memory against durable episodes

Resident megabytes of a server with open episodes of a small state, each with one step. "Idle" episodes have left memory and are loaded with their next step. The heap of each is its growth from ${shown(sizes.at(-2) ?? NaN)} to ${most} episodes, after a collection of garbage. Node keeps memory that it has taken from the system, also for episodes that are idle now. The store is in megabytes.

${markdownTable(head, cells)}${absentLines(absent)}

${runLine(run)}`;
}

export function recoverySection({ rows, absent, ...run }: Run & Recovery): string {
  const cells = rows.map(({ store, episodes, firstStartMs, ms, lostSteps, repeatedSteps }) => [
    `${store}, ${shown(episodes)} open ${episodes === 1 ? "episode" : "episodes"}`,
    shown(firstStartMs),
    withSpread(ms),
    String(ms.length),
    String(lostSteps),
    String(repeatedSteps),
  ]);
  const head = ["store", "first start, ms", "recovery, ms", "kills", "lost steps", "steps made twice"];
  return `## Recovery after kill -9

\`biplane serve\` is killed with a step in flight and started again. Milliseconds from the start of the process until it answers that step, which the client repeats with the same \`Idempotency-Key\`.

${markdownTable(head, cells)}${absentLines(absent)}

${runLine(run)}`;
}

/** From the last but one size to the last. */
function growthInKb(megabytes: readonly number[], sizes: readonly number[]): number {
  const [from = NaN, to = NaN] = megabytes.slice(-2);
  const [fewer = NaN, more = NaN] = sizes.slice(-2);
  return ((to - from) * 1000) / (more - fewer);
}
