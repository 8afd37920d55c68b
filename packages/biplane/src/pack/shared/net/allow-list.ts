import { BlockList, isIP } from "node:net";
import { BiplaneError } from "@biplane/core";
import { addRange } from "./addresses.ts";

/**
 * Non-public hosts and addresses that the operator allows: host names (`wiki.corp`, or `*.corp` for all subdomains),
 * addresses and CIDR ranges.
 */
export function allowList(entries: readonly string[]) {
  const ranges = new BlockList();
  const hosts = new Set<string>();
  const suffixes: string[] = [];
  for (const entry of entries) {
    const text = entry.toLowerCase().replace(/^\[(.*)\]$/, "$1");
    if (addRange(ranges, text)) continue;
    if (!/^(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(text)) throw unreadable(entry);
    if (text.startsWith("*.")) suffixes.push(text.slice(1));
    else hosts.add(text);
  }
  return {
    /** True for an allowed host name, whatever it resolves to. */
    hasHost: (hostname: string) => hosts.has(hostname) || suffixes.some((suffix) => hostname.endsWith(suffix)),
    hasAddress: (address: string) => {
      const family = isIP(address);
      return family !== 0 && ranges.check(address, family === 4 ? "ipv4" : "ipv6");
    },
  };
}

function unreadable(entry: string): BiplaneError {
  const shown = JSON.stringify(entry).slice(0, 80);
  return new BiplaneError(
    "INVALID_DEFINITION",
    `allow: ${shown} is neither a host name, an address nor a range such as 10.0.0.0/8.`,
  );
}
