import { isIP } from "node:net";
import { BiplaneError } from "@biplane/core";

/** A parsed, unambiguous request URL. */
export interface RequestTarget {
  readonly url: URL;
  /** A host name or IP address, without brackets and trailing dot. */
  readonly hostname: string;
  readonly port: number;
  readonly isAddress: boolean;
}

/**
 * Parses a URL by the WHATWG rules, which normalize unusual host notations (decimal, octal, Unicode). Error messages
 * never contain the URL, because it can be a secret.
 */
export function parseRequestUrl(text: string, base?: URL): RequestTarget {
  if (text.length > maxUrlLength) throw invalidUrl(`must not be longer than ${maxUrlLength} characters`);
  if (hasHiddenCharacters(text)) throw invalidUrl("must not contain spaces, backslashes or control characters");
  const url = parse(text, base);
  if (url.protocol !== "http:" && url.protocol !== "https:") throw invalidUrl("must start with http:// or https://");
  if (url.username !== "" || url.password !== "") throw invalidUrl("must not contain a user name or password");
  const hostname = url.hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
  if (hostname === "" || hostname.length > 253) throw invalidUrl("must contain a host name");
  if (url.port === "0") throw invalidUrl("must not use port 0");
  const port = Number(url.port) || (url.protocol === "https:" ? 443 : 80);
  return { url, hostname, port, isAddress: isIP(hostname) !== 0 };
}

const maxUrlLength = 8192;

function parse(text: string, base: URL | undefined): URL {
  if (!URL.canParse(text, base?.href)) throw invalidUrl("is not valid");
  return new URL(text, base?.href);
}

/** Such characters can make a URL look like it leads to another host. */
function hasHiddenCharacters(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code <= 0x20 || code === 0x5c || (code >= 0x7f && code <= 0xa0)) return true;
  }
  return false;
}

function invalidUrl(why: string): BiplaneError {
  return new BiplaneError("INVALID_INPUT", `The URL ${why}.`);
}
