import { isRecord } from "@biplane/core/internal";
import type { DesktopHost } from "./hosts.ts";
import { changeEntry } from "./settings-format.ts";

/** The text of settings without the values of environment variables and headers, which may be secrets. */
export function hideValues(text: string, { format, key }: DesktopHost): string {
  const settings = format.parse(text);
  const servers = isRecord(settings) && isRecord(settings[key]) ? settings[key] : {};
  let shown = text;
  for (const [name, entry] of Object.entries(servers))
    if (isRecord(entry) && Object.keys(entry).some(hasSecrets))
      shown = changeEntry(shown, [key, name], { format, entry: hiddenEntry(entry) });
  return shown;
}

function hiddenEntry(entry: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(entry).map(([key, value]) => [key, hasSecrets(key) ? hiddenValue(value) : value]),
  );
}

function hiddenValue(value: unknown): unknown {
  if (isRecord(value)) return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, hiddenValue(each)]));
  return typeof value === "string" && isReference.test(value) ? value : "(hidden)";
}

function hasSecrets(key: string): boolean {
  return ["env", "envs", "headers", "http_headers"].includes(key);
}

/** The name of a variable, which the host replaces. */
const isReference = /^(Bearer )?\$\{[\w:]+\}$/;
