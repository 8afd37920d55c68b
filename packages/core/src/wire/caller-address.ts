import type { HttpMessage } from "../transport/http-message.ts";

/** Returns a function that finds a caller's address: the last one in X-Forwarded-For that is not a trusted proxy. */
export function addressReader(trustedProxies: readonly string[] = []): (request: HttpMessage) => string {
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

/** Maps `::ffff:1.2.3.4` to `1.2.3.4`. */
function plain(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, "");
}
