import type { TokenStore } from "./token-store.ts";

/** How to get tokens from the MCP server's authorization server. */
export interface OAuthClientOptions {
  /**
   * `authorization_code` asks a person in a browser (default), `client_credentials` authenticates the program itself,
   * `jwt_bearer` presents a signed `assertion`.
   */
  readonly grant?: "authorization_code" | "client_credentials" | "jwt_bearer";
  /** The id of a registered client (default: `clientMetadataUrl` if supported, else dynamic registration). */
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** Authenticates with a key instead of a secret. `pem` is PKCS #8. */
  readonly privateKey?: { readonly pem: string; readonly algorithm?: string };
  /** The authorization server of `clientId`. Others are rejected, so that they never see the secret. */
  readonly issuer?: string;
  /** Address of this client's metadata document, which also serves as the client id. */
  readonly clientMetadataUrl?: string;
  readonly clientName?: string;
  /** Scopes to request in addition to those that the server names. */
  readonly scope?: string;
  /** Returns the assertion for `jwt_bearer`: your own function, `idJag` or `workloadIdentity`. */
  readonly assertion?: Assertion;
  /** Binds tokens to a key with DPoP (default: only if the server demands it). */
  readonly dpop?: boolean;
  readonly store?: TokenStore;
  /** Redirect address (default: a local address). */
  readonly redirectUrl?: string;
  /** Opens the authorization page (default: in the browser). */
  readonly open?: (url: URL) => void | Promise<void>;
  /** Runs the authorization without a browser and returns the redirect URL. */
  readonly authorize?: (url: URL) => Promise<URL>;
  /** Time limit for the person's authorization (default: 300000). */
  readonly patienceMs?: number;
  readonly now?: () => number;
}

export interface Assertion {
  (request: AssertionRequest): string | Promise<string>;
  /** The MCP extension that it implements, which the client declares. */
  readonly extension?: string;
}

/** A function that returns an assertion, with its extension. */
export function assertion(extension: string, make: (request: AssertionRequest) => Promise<string>): Assertion {
  return Object.assign(make, { extension });
}

export interface AssertionRequest {
  readonly issuer: string;
  readonly tokenEndpoint: string;
  /** The grant profiles that the authorization server names, if it does. */
  readonly profiles: readonly string[] | undefined;
  readonly resource: string;
  readonly scope: string | undefined;
}
