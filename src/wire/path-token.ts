import type { IncomingMessage } from "node:http";

/**
 * Takes a token out of a path that begins with `/k/<token>/`: trainers' own clients have only an address to put it in.
 * The address is rewritten before anything else sees it, so that no log, error or record can hold the token.
 */
export function takeToken(request: IncomingMessage): string | undefined {
  const { url = "/" } = request;
  if (!url.startsWith("/k/")) return undefined;
  const end = url.slice(3).search(/[/?]/);
  const token = end < 0 ? url.slice(3) : url.slice(3, 3 + end);
  const rest = end < 0 ? "/" : url.slice(3 + end);
  request.url = rest.startsWith("/") ? rest : `/${rest}`;
  return token;
}

/** A path for a message: without what might have been meant as a token. */
export function withoutToken(path: string): string {
  return path.replaceAll(/\/(k|%6b)\/[^/]*/gi, "/k/…");
}
