import { isIPv6 } from "node:net";
import type { Principal } from "../tool/call.ts";

/** The key for rate limits and quotas. Unauthenticated IPv6 callers are keyed by their /64 prefix. */
export function callerOf({ kind, id }: Pick<Principal, "kind" | "id">): string {
  return `${kind} ${(kind === "anonymous" || kind === "trainer") && isIPv6(id) ? networkOf(id) : id}`;
}

/**
 * Who is charged for what a principal holds. Undefined for callers in this process and for trainers, which may use
 * everything there is: only totals limit them.
 */
export function chargedTo(principal: Pick<Principal, "kind" | "id">): string | undefined {
  return principal.kind === "local" || principal.kind === "trainer" ? undefined : callerOf(principal);
}

/** An IPv6 address becomes its /64 prefix, because one host usually controls the whole prefix. */
export function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, "");
  if (!plain.includes(":")) return plain;
  const [head = "", tail] = plain.toLowerCase().split("::", 2);
  const first = head === "" ? [] : head.split(":");
  const last = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, 8 - first.length - last.length)).fill("0");
  return `${[...first, ...zeros, ...last].slice(0, 4).join(":")}::/64`;
}
