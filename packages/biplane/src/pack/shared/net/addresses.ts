import { BlockList, isIP } from "node:net";

/** The kind of a non-public address, such as "a loopback address". Undefined if the address is public. */
export function nonPublicKind(address: string): string | undefined {
  const family = isIP(address);
  if (family === 0 || address.includes("%")) return "not an IP address";
  if (family === 4) return special4.find(({ list }) => list.check(address, "ipv4"))?.what;
  const named = special6.find(({ list }) => list.check(address, "ipv6"));
  if (named) return named.what;
  return globalUnicast.check(address, "ipv6") ? undefined : "a reserved address";
}

/** Adds an address or a CIDR range to the list. False if the text is neither. */
export function addRange(list: BlockList, text: string): boolean {
  const [address = "", prefix, rest] = text.split("/");
  const family = isIP(address);
  if (family === 0 || rest !== undefined || address.includes("%")) return false;
  const bits = family === 4 ? 32 : 128;
  if (prefix !== undefined && !(/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits)) return false;
  list.addSubnet(address, prefix === undefined ? bits : Number(prefix), family === 4 ? "ipv4" : "ipv6");
  return true;
}

const special4 = table({
  "a loopback address": ["127.0.0.0/8"],
  "a private address": ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"],
  "a link-local address": ["169.254.0.0/16"],
  "a carrier-grade NAT address": ["100.64.0.0/10"],
  "a cloud platform address": ["168.63.129.16/32"],
  "a multicast address": ["224.0.0.0/4"],
  "a reserved address": [
    "0.0.0.0/8",
    "192.0.0.0/24",
    "192.0.2.0/24",
    "192.88.99.0/24",
    "198.18.0.0/15",
    "198.51.100.0/24",
    "203.0.113.0/24",
    "240.0.0.0/4",
  ],
});

/** IPv6 ranges that embed an IPv4 address are rejected as a whole. */
const special6 = table({
  "a loopback address": ["::1/128"],
  "an IPv6 address that embeds an IPv4 address": [
    "::/96",
    "::ffff:0:0/96",
    "::ffff:0:0:0/96",
    "64:ff9b::/96",
    "64:ff9b:1::/48",
  ],
  "a tunnel address": ["2002::/16", "2001::/32"],
  "a private address": ["fc00::/7"],
  "a link-local address": ["fe80::/10", "fec0::/10"],
  "a multicast address": ["ff00::/8"],
  "a reserved address": ["2001::/23", "2001:db8::/32", "3fff::/20"],
});

const globalUnicast = rangeList(["2000::/3"]);

function table(ranges: Record<string, readonly string[]>): { what: string; list: BlockList }[] {
  return Object.entries(ranges).map(([what, texts]) => ({ what, list: rangeList(texts) }));
}

function rangeList(texts: readonly string[]): BlockList {
  const list = new BlockList();
  for (const text of texts) addRange(list, text);
  return list;
}
