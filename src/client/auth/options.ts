import type { TokenStore } from "./token-store.ts";

/** How to get tokens from whatever authorization server the MCP server names. */
export interface OAuthOptions {
  /**
   * `authorization_code` asks a person in a browser, `client_credentials` speaks for the program itself, `jwt_bearer`
   * presents an assertion that somebody else signed.
   */
  readonly grant?: "authorization_code" | "client_credentials" | "jwt_bearer";
  /** A client that was registered beforehand. Left out, we register, or use `clientMetadataUrl`. */
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** Signs in with a key instead of a secret; `pem` is PKCS #8. */
  readonly privateKey?: { readonly pem: string; readonly algorithm?: string };
  /** The authorization server that `clientId` belongs to. Another one is refused rather than shown the secret. */
  readonly issuer?: string;
  /** Where a document about this client is published; its address is then the client's id. */
  readonly clientMetadataUrl?: string;
  readonly clientName?: string;
  /** Scopes to ask for beside those that the server names. */
  readonly scope?: string;
  /** Makes the assertion for `jwt_bearer`. */
  readonly assertion?: (about: AssertionRequest) => string | Promise<string>;
  /** Binds tokens to a key of ours. Left out, we do so where the server asks for it. */
  readonly dpop?: boolean;
  readonly store?: TokenStore;
  /** Where the browser comes back to; an address on this machine unless said. */
  readonly redirectUrl?: string;
  /** Opens a page for the person. */
  readonly open?: (url: URL) => void | Promise<void>;
  /** Takes the person through the page by other means, and gives the address they were sent back to. */
  readonly authorize?: (url: URL) => Promise<URL>;
  /** How long the person may take. */
  readonly patienceMs?: number;
  readonly now?: () => number;
}

export interface AssertionRequest {
  readonly issuer: string;
  readonly resource: string;
  readonly scope: string | undefined;
}
