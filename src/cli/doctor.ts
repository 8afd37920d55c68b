import { defineCommand } from "citty";
import { messageOf } from "../errors.ts";
import type { Finding } from "./doctor/finding.ts";
import { problem, showFindings } from "./doctor/finding.ts";
import { checkKept } from "./doctor/kept.ts";
import { checkPeers } from "./doctor/peers.ts";
import { checkPort } from "./doctor/port.ts";
import { checkProgram } from "./doctor/program.ts";
import { checkSettings } from "./doctor/settings.ts";
import { checkTrainers } from "./doctor/trainers.ts";
import { houseArgs, houseOptions } from "./house-args.ts";
import { styler } from "./terminal/style.ts";

/** `biplane doctor`: what is there, what is missing, and the way out. Ends with 1 only where something is in the way. */
export const doctorCommand = defineCommand({
  meta: { name: "doctor", description: "Say what is there and what is missing, each with the way out" },
  args: { json: { type: "boolean", description: "As JSON", default: false }, ...houseArgs },
  run: async ({ args }) => {
    const findings = await examine({ ...args });
    if (findings.some(({ mark }) => mark === "problem")) process.exitCode = 1;
    if (args.json) return void process.stdout.write(`${JSON.stringify({ findings }, undefined, 2)}\n`);
    const columns = Math.min(120, process.stdout.columns ?? 80);
    process.stdout.write(showFindings(findings, { columns, style: styler(process.stdout) }));
  },
});

async function examine(args: { config?: string | undefined; store?: string | undefined }): Promise<Finding[]> {
  const folder = process.cwd();
  const trainers = safely("trainers", () => checkTrainers());
  const { config, findings } = await checkSettings(houseOptions(args));
  const parts = await Promise.all([
    safely("program", () => checkProgram({ folder })),
    safely("config", () => findings),
    safely("store", () => (config ? checkKept(config) : [])),
    safely("address", async () => (config ? [await checkPort(config.listen)] : [])),
    safely("packages", () => checkPeers(folder)),
    trainers,
  ]);
  return parts.flat();
}

/** A look that fails is a finding, too. */
async function safely(
  what: string,
  look: () => readonly Finding[] | Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return await look();
  } catch (error) {
    return [problem(what, `could not be looked at: ${messageOf(error)}`)];
  }
}
