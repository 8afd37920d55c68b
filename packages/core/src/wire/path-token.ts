import type { IncomingHttpHeaders, IncomingMessage } from "node:http";

/**
 * Removes and returns the token of a path that begins with `/k/<token>/`. Clients of trainers cannot send headers. The
 * URL is rewritten first, so that no log, error or record contains the token.
 */
export function takeToken(request: IncomingMessage): string | undefined {
  const { url = "/" } = request;
  const taken = tokens.get(request);
  if (taken !== undefined || !url.startsWith("/k/")) return taken;
  const end = url.slice(3).search(/[/?]/);
  const token = end < 0 ? url.slice(3) : url.slice(3, 3 + end);
  const rest = end < 0 ? "/" : url.slice(3 + end);
  request.url = rest.startsWith("/") ? rest : `/${rest}`;
  tokens.set(request, token);
  return token;
}

const tokens = new WeakMap<IncomingMessage, string>();

/** The token that was taken from the path of a request. */
export function tokenOfPath(request: IncomingMessage): string | undefined {
  return tokens.get(request);
}

/** Masks anything in a path that may be a token, for messages. */
export function withoutToken(path: string): string {
  return path.replaceAll(/\/(k|%6b)\/[^/]*/gi, "/k/…");
}

/** The token in `X-API-Key`, the only header that the client of ORS can send. It counts like one in the path. */
export function apiKeyIn({ authorization, "x-api-key": key }: IncomingHttpHeaders): string | undefined {
  return authorization === undefined && typeof key === "string" && key !== "" ? key : undefined;
}
