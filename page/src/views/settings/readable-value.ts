import { bytes, decimal } from "../../format.ts";
import type { Entry } from "./sections.ts";

/** `4 MiB (4194304)` for `http.maxBodyBytes`, `30 s (30000)` for a time in milliseconds. */
export function readableValue(key: string, value: unknown): string {
  if (typeof value !== "number") return JSON.stringify(value) ?? "";
  const size = unitOf(key, value);
  // As the file has it, so that it can be copied.
  return size === undefined ? String(value) : `${size} (${value})`;
}

/** Keys say their unit, or are below one that does: `limits.held.codeBytes.total`. */
function unitOf(key: string, value: number): string | undefined {
  if (/bytes(\.\w+)?$/i.test(key)) return bytes(value);
  if (!/Ms(\.\w+)?$/.test(key) || value < 1000) return undefined;
  return value % 60_000 === 0 ? `${value / 60_000} min` : `${decimal(value / 1000)} s`;
}

/** What holds for a setting without a value, as far as it is known. */
export function unsetMeaning({ key, about = "" }: Pick<Entry, "key" | "about">): string | undefined {
  return meanings[key] ?? /\(default(?: [^:()]*)?: ([^()]*)\)/.exec(about)?.[1]?.replaceAll("`", "");
}

const meanings: Readonly<Record<string, string>> = {
  fleet: "one server",
  code: "agents cannot run code",
  signIn: "passphrases only",
  record: "nothing is recorded",
  "http.publicUrl": "the address it listens on",
  "http.trustedProxies": "no proxy is trusted",
  "http.allowedHosts": "only its own",
  "http.allowedOrigins": "only its own",
  "limits.perTool": "no limit",
  "limits.global": "no limit",
  "limits.concurrency.perTool": "no limit",
  "limits.concurrency.global": "no limit",
  "approvals.simulated": "people answer",
};
