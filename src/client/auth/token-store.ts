/** Keeps tokens between runs. What it is given are secrets. */
export interface TokenStore {
  load(server: string): Promise<TokenRecord | undefined>;
  save(server: string, record: TokenRecord): Promise<void>;
}

/** All that is kept for one MCP server. */
export interface TokenRecord {
  readonly tokens?: Tokens | undefined;
  /** What we registered as, by authorization server: none is ever shown another's credentials. */
  readonly clients?: Readonly<Record<string, RegisteredClient>> | undefined;
  /** The key that tokens are bound to, as a private JWK. */
  readonly key?: Readonly<Record<string, unknown>> | undefined;
}

export interface Tokens {
  readonly accessToken: string;
  readonly type: "Bearer" | "DPoP";
  readonly refreshToken?: string | undefined;
  /** In milliseconds since 1970. */
  readonly expiresAt?: number | undefined;
  /** What was asked for when they were given. */
  readonly scope?: string | undefined;
  readonly issuer: string;
}

export interface RegisteredClient {
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  readonly method?: string | undefined;
  readonly redirectUrl?: string | undefined;
}

/** Tokens for as long as this process runs. */
export function memoryTokenStore(): TokenStore {
  const records = new Map<string, TokenRecord>();
  return {
    load: async (server) => records.get(server),
    save: async (server, record) => void records.set(server, record),
  };
}
