import type { Principal } from "../tool/call.ts";

/**
 * Authenticates a network caller. Returns undefined if the request has no known credentials. May throw `UNAUTHORIZED`
 * with an RFC 6750 error such as `insufficient_scope` in `details.error`, the `details.scheme` that the caller should
 * use, and `details.headers` for the answer.
 */
export interface Authenticate {
  (request: NetworkRequest): Principal | undefined | Promise<Principal | undefined>;
  /** OAuth metadata for clients, if tokens come from an authorization server. */
  readonly resource?: ProtectedResource | undefined;
}

export interface NetworkRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly address: string;
  readonly method?: string | undefined;
  /** The path of the request, without the query. */
  readonly path?: string | undefined;
  /** True if another process of the fleet has authenticated the same request and sent it on. */
  readonly isForwarded?: boolean;
  /** The token from a `/k/<token>/` path, which is removed from the path, or a trainer's from `X-API-Key`. */
  readonly token?: string | undefined;
}

/** OAuth protected resource metadata (RFC 9728). */
export interface ProtectedResource {
  /** The resource identifier that tokens are issued for, such as `https://tools.example.com/mcp`. */
  readonly resource: string;
  readonly authorizationServers: readonly string[];
  /** The scopes a client should request first. */
  readonly requiredScopes: readonly string[];
  /** All scopes a client may request. */
  readonly scopes: readonly string[];
  /** If tokens may be bound to a key (RFC 9449): the algorithms of proofs, and whether tokens must be bound. */
  readonly dpop?: { readonly algorithms: readonly string[]; readonly isRequired: boolean } | undefined;
}
