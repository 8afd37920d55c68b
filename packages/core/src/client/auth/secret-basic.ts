import type { ClientAuth } from "oauth4webapi";

/** Authenticates with a secret. Unlike the library's, leaves `-` and `_` as they are: many servers do not decode the two values. */
export function secretBasic(secret: string): ClientAuth {
  return (_issuer, { client_id: id }, _body, headers) => {
    const pair = `${encodeURIComponent(id)}:${encodeURIComponent(secret)}`;
    headers.set("authorization", `Basic ${Buffer.from(pair).toString("base64")}`);
  };
}
