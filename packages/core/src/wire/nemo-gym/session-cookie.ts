import type { HttpMessage } from "../../transport/http-message.ts";
import { decodeUri } from "../../decode-uri.ts";

const name = "biplane_session";

/** The header that gives a client its session. */
export function setSessionCookie(id: string): string {
  return `${name}=${encodeURIComponent(id)}; Path=/; HttpOnly; SameSite=Lax`;
}

/** The session that the cookie of a request names. */
export function sessionInCookie({ headers }: Pick<HttpMessage, "headers">): string | undefined {
  for (const pair of (headers.cookie ?? "").split(";")) {
    const [key, value] = pair.trim().split("=");
    if (key === name && value !== undefined) return decodeUri(value) ?? value;
  }
  return undefined;
}
