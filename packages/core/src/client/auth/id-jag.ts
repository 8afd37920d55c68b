import { BiplaneError } from "../../errors.ts";
import type { Fetch } from "./authorizer.ts";
import { assertion } from "./options.ts";
import type { Assertion, OAuthClientOptions } from "./options.ts";

export interface IdJagOptions {
  /** Token endpoint of the identity provider that issued the ID token. */
  readonly tokenEndpoint: string;
  readonly clientId: string;
  readonly clientSecret?: string;
  /** Authenticates at the identity provider with a key instead of a secret. `pem` is PKCS #8. */
  readonly privateKey?: OAuthClientOptions["privateKey"];
  /** The ID token of the person who signed in, or a function that returns a fresh one. */
  readonly idToken?: string | (() => string | Promise<string>);
  /** A SAML 2.0 assertion instead of an ID token, in base64url. */
  readonly samlAssertion?: string | (() => string | Promise<string>);
  readonly fetch?: Fetch;
}

/**
 * An `assertion` for the `jwt_bearer` grant (enterprise-managed authorization): exchanges the person's ID token at the
 * company's identity provider for an identity assertion (ID-JAG) that is valid at the server's authorization server.
 */
export function idJag(options: IdJagOptions): Assertion {
  const { tokenEndpoint, clientId, clientSecret, privateKey, idToken, samlAssertion } = options;
  const subject = idToken ?? samlAssertion;
  if (subject === undefined || (idToken !== undefined && samlAssertion !== undefined))
    throw new BiplaneError("INVALID_DEFINITION", "idJag needs either idToken or samlAssertion.");
  const send = options.fetch ?? ((url, init) => fetch(url, init));
  return assertion(enterpriseExtension, async ({ issuer, resource, scope, profiles }) => {
    if (profiles && !profiles.includes(idJagProfile))
      throw new BiplaneError("UNAUTHORIZED", `${issuer} does not accept identity assertions of a company (ID-JAG).`);
    const { exchangeToken } = await import("./token-endpoint.ts");
    const { issuerFetch } = await import("./issuer-fetch.ts");
    const provider = { issuer: tokenEndpoint, token_endpoint: tokenEndpoint };
    const grant = {
      grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
      requested_token_type: idJagType,
      subject_token_type: `urn:ietf:params:oauth:token-type:${idToken === undefined ? "saml2" : "id_token"}`,
      subject_token: typeof subject === "string" ? subject : await subject(),
      audience: issuer,
      resource,
    };
    const client = { clientId, clientSecret };
    const fetch = issuerFetch(tokenEndpoint, send);
    const issued = await exchangeToken(provider, grant, { client, privateKey, scope, fetch, now: Date.now });
    if (issued.issued_token_type === idJagType) return issued.access_token;
    throw new BiplaneError(
      "UNAUTHORIZED",
      `${tokenEndpoint} issued a token of type ${JSON.stringify(issued.issued_token_type)}, not an ID-JAG.`,
    );
  });
}

const idJagType = "urn:ietf:params:oauth:token-type:id-jag";
const idJagProfile = "urn:ietf:params:oauth:grant-profile:id-jag";
const enterpriseExtension = "io.modelcontextprotocol/enterprise-managed-authorization";
