import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname } from "node:path";
import { hosts } from "./hosts.ts";

/** The hosts with their settings files, for `biplane install` without a host. */
export function listHosts(): string {
  const folders = { platform: process.platform, home: homedir(), environment: process.env };
  const rows = Object.entries(hosts).map(([id, { userFile }]) => {
    const path = userFile(folders);
    const state = existsSync(path) ? "" : existsSync(dirname(path)) ? "  (no file yet)" : "  (not installed?)";
    return `  ${id.padEnd(16)}${path}${state}\n`;
  });
  return `Hosts and their settings:\n\n${rows.join("")}\nAdd a server: npx biplane install cursor ./server.ts --dry-run\n`;
}
