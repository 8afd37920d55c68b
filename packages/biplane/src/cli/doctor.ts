import { command, toggle } from "./command/define.ts";
import { messageOf } from "@biplane/core/internal";
import type { Finding } from "./doctor/finding.ts";
import { failure, showFindings } from "./doctor/finding.ts";
import { checkSecrets } from "./doctor/check-secrets.ts";
import { checkStore } from "./doctor/check-store.ts";
import { checkPeers } from "./doctor/check-peers.ts";
import { checkPort } from "./doctor/check-port.ts";
import { checkProgram } from "./doctor/check-program.ts";
import { checkConfigFile } from "./doctor/check-config.ts";
import { checkTrainers } from "./doctor/check-trainers.ts";
import { storeArgs, storeOptions } from "./store-args.ts";
import type { StoreArgs } from "./store-args.ts";
import { styler } from "./terminal/style.ts";

/** `biplane doctor`: exits with 1 if there is a problem; notes do not count. */
export const doctorCommand = command("Check the installation, config, store, port and optional packages", {
  args: { json: toggle("Print JSON"), ...storeArgs },
  run: async ({ args }) => {
    const findings = await examine({ ...args });
    if (findings.some(({ mark }) => mark === "problem")) process.exitCode = 1;
    if (args.json) return void process.stdout.write(`${JSON.stringify({ findings }, undefined, 2)}\n`);
    const columns = Math.min(120, process.stdout.columns ?? 80);
    process.stdout.write(showFindings(findings, { columns, style: styler(process.stdout) }));
  },
});

async function examine(args: StoreArgs): Promise<Finding[]> {
  const folder = process.cwd();
  const trainers = safely("trainers", () => checkTrainers());
  const { config, findings } = await checkConfigFile(storeOptions(args));
  const parts = await Promise.all([
    safely("program", () => checkProgram({ folder })),
    safely("config", () => findings),
    safely("store", () => (config ? checkStore(config) : [])),
    safely("secrets", () => (config ? checkSecrets(storeOptions(args), config) : [])),
    safely("address", async () => (config ? [await checkPort(config.listen)] : [])),
    safely("packages", () => checkPeers(folder)),
    trainers,
  ]);
  return parts.flat();
}

/** A check that throws is reported as a failure of that check. */
async function safely(
  what: string,
  check: () => readonly Finding[] | Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return await check();
  } catch (error) {
    return [failure(what, `The check failed: ${messageOf(error)}`)];
  }
}
