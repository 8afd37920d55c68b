import { isIPv6 } from "node:net";
import type { Principal } from "../tool/call.ts";

/** Whom something is counted against. One who proves nothing is where he comes from, not each address he has there. */
export function callerOf({ kind, id }: Pick<Principal, "kind" | "id">): string {
  return `${kind} ${(kind === "anonymous" || kind === "trainer") && isIPv6(id) ? networkOf(id) : id}`;
}

/** Where an address is, as far as it can be held against anybody: whoever has one of IPv6 has a whole network. */
export function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, "");
  if (!plain.includes(":")) return plain;
  const [head = "", tail] = plain.toLowerCase().split("::", 2);
  const first = head === "" ? [] : head.split(":");
  const last = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, 8 - first.length - last.length)).fill("0");
  return `${[...first, ...zeros, ...last].slice(0, 4).join(":")}::/64`;
}
