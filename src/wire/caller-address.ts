import type { IncomingMessage } from "node:http";

/** Says where requests come from: the last address in the chain that is not a proxy we believe. */
export function addressReader(trustedProxies: readonly string[] = []): (request: IncomingMessage) => string {
  if (trustedProxies.length === 0) return ({ socket }) => socket.remoteAddress ?? "";
  const trusted = new Set(trustedProxies.map(plain));
  return ({ socket, headers }) => {
    const direct = plain(socket.remoteAddress ?? "");
    if (!trusted.has(direct)) return direct;
    const chain = String(headers["x-forwarded-for"] ?? "")
      .split(",")
      .map((entry) => plain(entry.trim()))
      .filter((entry) => entry !== "");
    return chain.findLast((entry) => !trusted.has(entry)) ?? direct;
  };
}

/** An IPv4 address is the same one when IPv6 spells it. */
function plain(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, "");
}
