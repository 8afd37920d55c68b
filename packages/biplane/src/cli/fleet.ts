import { listProcesses } from "../fleet/processes.ts";
import type { ProcessInfo } from "../fleet/processes.ts";
import { openStore } from "../store/sql-store.ts";
import { command, toggle } from "./command/define.ts";
import { inputError } from "./command/exit-code.ts";
import { storeArgs, storeLocation } from "./store-args.ts";
import { duration, table } from "./terminal/format.ts";

/** `biplane fleet` */
export const fleetCommand = command("List the servers and workers on one Postgres database", {
  args: { ...storeArgs, watch: toggle("Refresh every second"), json: toggle("Print JSON") },
  run: async ({ args }) => {
    await using store = await openStore(await storeLocation(args));
    if (!store.isShared)
      throw inputError("Several servers need a Postgres store. Pass --store postgres://user@host/database.");
    for (;;) {
      const processes = await listProcesses(store);
      if (args.watch && process.stdout.isTTY) process.stdout.write("\x1b[2J\x1b[H");
      process.stdout.write(args.json ? `${JSON.stringify(processes)}\n` : shown(processes));
      if (!args.watch) return;
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  },
});

function shown(processes: readonly ProcessInfo[]): string {
  if (processes.length === 0)
    return "No server runs on this database. Start one: biplane serve --store postgres://user@host/database\n";
  const head = ["process", "kind", "machine", "version", "address", "up", "episodes", "sessions", "lag", "memory"];
  const rows = processes.map(({ id, kind, name, version, address, started_at, seen_at, load }) => [
    id.slice(0, 8),
    kind,
    name,
    version,
    address ?? "",
    duration(seen_at - started_at),
    String(load["episodes"] ?? ""),
    String(load["sessions"] ?? ""),
    load["lagMs"] === undefined ? "" : `${load["lagMs"]} ms`,
    load["memoryMb"] === undefined ? "" : `${load["memoryMb"]} MB`,
  ]);
  return `${table(head, rows)}\n`;
}
