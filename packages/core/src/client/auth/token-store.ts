/** Saves tokens between runs. The records contain secrets. */
export interface TokenStore {
  load(server: string): Promise<TokenRecord | undefined>;
  save(server: string, record: TokenRecord): Promise<void>;
}

/** The credentials for one MCP server. */
export interface TokenRecord {
  readonly tokens?: Tokens | undefined;
  /** Registered clients by issuer, so that no issuer sees another's credentials. */
  readonly clients?: Readonly<Record<string, RegisteredClient>> | undefined;
  /** The key that tokens are bound to, as a private JWK. */
  readonly key?: Readonly<Record<string, unknown>> | undefined;
}

export interface Tokens {
  readonly accessToken: string;
  readonly type: "Bearer" | "DPoP";
  readonly refreshToken?: string | undefined;
  /** Milliseconds since 1970. */
  readonly expiresAt?: number | undefined;
  /** The requested scopes. */
  readonly scope?: string | undefined;
  readonly issuer: string;
}

export interface RegisteredClient {
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  readonly method?: string | undefined;
  readonly redirectUrl?: string | undefined;
}

/** Keeps tokens until the process ends. */
export function memoryTokenStore(): TokenStore {
  const records = new Map<string, TokenRecord>();
  return {
    load: async (server) => records.get(server),
    save: async (server, record) => void records.set(server, record),
  };
}
