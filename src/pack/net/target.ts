import { isIP } from "node:net";
import { BiplaneError } from "../../errors.ts";

/** Where a request goes: a URL that can be read in one way only. */
export interface Target {
  readonly url: URL;
  /** A name or a bare address: no brackets, no dot at the end. */
  readonly hostname: string;
  readonly port: number;
  readonly isAddress: boolean;
}

/**
 * Reads a URL as the WHATWG does, which writes odd notations of hosts (decimal, octal, wide digits, unicode dots) in
 * one form; only that form is used from here on. No message holds the URL: it may be somebody's secret.
 */
export function parseTarget(text: string, base?: URL): Target {
  if (text.length > longest) throw wrong(`must not be longer than ${longest} characters`);
  if (hasHiddenCharacters(text)) throw wrong("must not hold spaces, backslashes or control characters");
  const url = parse(text, base);
  if (url.protocol !== "http:" && url.protocol !== "https:") throw wrong("must start with http:// or https://");
  if (url.username !== "" || url.password !== "") throw wrong("must not hold a user name or password");
  const hostname = url.hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
  if (hostname === "" || hostname.length > 253) throw wrong("must name a host");
  if (url.port === "0") throw wrong("must name a port that can be reached");
  const port = Number(url.port) || (url.protocol === "https:" ? 443 : 80);
  return { url, hostname, port, isAddress: isIP(hostname) !== 0 };
}

const longest = 8192;

function parse(text: string, base: URL | undefined): URL {
  if (!URL.canParse(text, base?.href)) throw wrong("cannot be read");
  return new URL(text, base?.href);
}

/** A reader who saw such a URL may have understood another host. */
function hasHiddenCharacters(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code <= 0x20 || code === 0x5c || (code >= 0x7f && code <= 0xa0)) return true;
  }
  return false;
}

function wrong(why: string): BiplaneError {
  return new BiplaneError("INVALID_INPUT", `the URL ${why}`);
}
