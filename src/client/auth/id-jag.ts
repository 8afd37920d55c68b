import { BiplaneError } from "../../errors.ts";
import type { Fetch } from "./authorizer.ts";
import { fetchJson, reasonIn } from "./fetch-json.ts";
import type { AssertionRequest } from "./options.ts";

export interface IdJagOptions {
  /** The token endpoint of the identity provider that signed the person in. */
  readonly tokenEndpoint: string;
  readonly clientId: string;
  readonly idToken: string | (() => string | Promise<string>);
  readonly fetch?: Fetch;
}

/** An assertion for `jwt_bearer`: a company's identity provider says, in exchange for its id token, who may come in. */
export function idJag(options: IdJagOptions): (about: AssertionRequest) => Promise<string> {
  const { tokenEndpoint, clientId, idToken, fetch: send = (url, init) => fetch(url, init) } = options;
  return async ({ issuer, resource, scope }) => {
    const request = new URLSearchParams({
      grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
      requested_token_type: "urn:ietf:params:oauth:token-type:id-jag",
      subject_token_type: "urn:ietf:params:oauth:token-type:id_token",
      subject_token: typeof idToken === "string" ? idToken : await idToken(),
      audience: issuer,
      resource,
      client_id: clientId,
      ...(scope !== undefined && { scope }),
    });
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const init = { method: "POST", headers, body: request.toString() };
    const { ok, status, body } = await fetchJson(tokenEndpoint, init, send);
    if (ok && typeof body["access_token"] === "string") return body["access_token"];
    const why = reasonIn(body, status);
    throw new BiplaneError("UNAUTHORIZED", `${tokenEndpoint} gave no assertion: ${why}`);
  };
}
