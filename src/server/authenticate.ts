import type { Principal } from "../tool/call.ts";

/**
 * Proves who a network caller is. Undefined: it brought nothing that is known here. Throws `UNAUTHORIZED` where it can
 * say what is wrong; `details.error` is then an error of RFC 6750 such as `insufficient_scope`.
 */
export interface Authenticate {
  (request: NetworkRequest): Principal | undefined | Promise<Principal | undefined>;
  /** What OAuth clients are told, where tokens come from an authorization server. */
  readonly resource?: ProtectedResource | undefined;
}

export interface NetworkRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly address: string;
  /** The token of a path that began with `/k/<token>/`. Nothing but this field holds it any more. */
  readonly token?: string | undefined;
}

/** A resource in the sense of RFC 9728: what tokens are for, and who gives them out. */
export interface ProtectedResource {
  /** The address that tokens are issued for, such as `https://tools.example.com/mcp`. */
  readonly resource: string;
  readonly authorizationServers: readonly string[];
  /** What a client should ask for at first. */
  readonly requiredScopes: readonly string[];
  /** Everything it may ask for. */
  readonly scopes: readonly string[];
}
