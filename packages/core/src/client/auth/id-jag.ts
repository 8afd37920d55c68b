import type { Fetch } from "./authorizer.ts";
import type { AssertionRequest } from "./options.ts";

export interface IdJagOptions {
  /** Token endpoint of the identity provider that issued the ID token. */
  readonly tokenEndpoint: string;
  readonly clientId: string;
  readonly idToken: string | (() => string | Promise<string>);
  readonly fetch?: Fetch;
}

/** An `assertion` for the `jwt_bearer` grant: exchanges an ID token for an identity assertion (ID-JAG). */
export function idJag(options: IdJagOptions): (request: AssertionRequest) => Promise<string> {
  const { tokenEndpoint, clientId, idToken, fetch: send = (url, init) => fetch(url, init) } = options;
  return async ({ issuer, resource, scope }) => {
    const { requestTokens } = await import("./token-endpoint.ts");
    const { issuerFetch } = await import("./issuer-fetch.ts");
    const provider = { issuer: tokenEndpoint, token_endpoint: tokenEndpoint };
    const grant = {
      grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
      requested_token_type: "urn:ietf:params:oauth:token-type:id-jag",
      subject_token_type: "urn:ietf:params:oauth:token-type:id_token",
      subject_token: typeof idToken === "string" ? idToken : await idToken(),
      audience: issuer,
      resource,
    };
    const options = { client: { clientId }, scope, fetch: issuerFetch(tokenEndpoint, send), now: Date.now };
    return (await requestTokens(provider, grant, options)).accessToken;
  };
}
