import { BiplaneError } from "../../errors.ts";
import { prepareAuthorization } from "./authorization-code.ts";
import type { Authorizer, Fetch, AuthorizationRefusal } from "./authorizer.ts";
import { readChallenge } from "./challenge.ts";
import type { AuthChallenge } from "./challenge.ts";
import { discover, stringList } from "./discovery.ts";
import type { OAuthDiscovery } from "./discovery.ts";
import { keepNonce, loadDpopKey, proveKey } from "./keys.ts";
import type { DpopKey } from "./keys.ts";
import type { OAuthClientOptions } from "./options.ts";
import { clientFor } from "./register.ts";
import { requestTokens } from "./token-endpoint.ts";
import type { TokenGrant, TokenRequestOptions } from "./token-endpoint.ts";
import { memoryTokenStore } from "./token-store.ts";
import type { RegisteredClient, TokenRecord, Tokens, TokenStore } from "./token-store.ts";

/** Gets tokens when a server demands them, refreshes them, and requests further scopes when needed. */
export class OAuth implements Authorizer {
  readonly #oauth: OAuthClientOptions;
  readonly #fetch: Fetch;
  readonly #store: TokenStore;
  readonly #now: () => number;
  readonly #found = new Map<string, OAuthDiscovery>();
  readonly #pending = new Map<string, Promise<boolean>>();
  #key: DpopKey | undefined;

  constructor(oauth: OAuthClientOptions, options: { fetch: Fetch }) {
    this.#oauth = oauth;
    this.#fetch = options.fetch;
    this.#store = oauth.store ?? memoryTokenStore();
    this.#now = oauth.now ?? Date.now;
  }

  async headers(request: { method: string; url: string }): Promise<Record<string, string>> {
    let tokens = (await this.#store.load(request.url))?.tokens;
    if (tokens?.expiresAt !== undefined && tokens.expiresAt - this.#now() < refreshMarginMs && tokens.refreshToken) {
      await this.#once(request.url, () => this.#refresh(request.url, undefined));
      tokens = (await this.#store.load(request.url))?.tokens;
    }
    if (!tokens) return {};
    const { type, accessToken } = tokens;
    if (type === "Bearer") return { authorization: `Bearer ${accessToken}` };
    return proveKey(await this.#dpopKey(request.url), { ...request, accessToken });
  }

  async refused({ url, status, headers, attempt }: AuthorizationRefusal): Promise<boolean> {
    const challenge = readChallenge(headers);
    if (this.#key) await keepNonce(this.#key, { url, headers });
    if (attempt >= maxAttempts) return false;
    if (challenge?.error === "use_dpop_nonce") return this.#key !== undefined;
    if (status === 403 && challenge?.error !== "insufficient_scope") return false;
    return this.#once(url, async () => {
      const isWorthRefreshing = status === 401 && attempt === 1;
      return (isWorthRefreshing && (await this.#refresh(url, challenge))) || this.#acquire(url, challenge);
    });
  }

  /** Requests that are rejected at the same time share one token request. */
  #once(url: string, work: () => Promise<boolean>): Promise<boolean> {
    let running = this.#pending.get(url);
    if (!running) {
      running = work().finally(() => this.#pending.delete(url));
      this.#pending.set(url, running);
    }
    return running;
  }

  /** Refreshes the tokens. Returns false without a refresh token, or if the server rejects it. */
  async #refresh(url: string, challenge: AuthChallenge | undefined): Promise<boolean> {
    const record = await this.#store.load(url);
    const { refreshToken, issuer, scope } = record?.tokens ?? {};
    if (refreshToken === undefined || issuer === undefined) return false;
    const found = challenge
      ? await this.#discover(url, challenge)
      : (this.#found.get(url) ?? (await this.#discover(url, undefined)));
    const client =
      this.#oauth.clientId === undefined
        ? record?.clients?.[issuer]
        : { clientId: this.#oauth.clientId, clientSecret: this.#oauth.clientSecret };
    if (found.issuer.issuer !== issuer || !client) return false; // a refresh token is valid only at its issuer
    try {
      const key = record?.tokens?.type === "DPoP" ? await this.#dpopKey(url) : undefined;
      const grant = { grant_type: "refresh_token", refresh_token: refreshToken };
      const tokens = await this.#request(found, grant, { client, key, scope });
      await this.#save(url, { tokens: { refreshToken, ...tokens } });
      return true;
    } catch (error) {
      if (!(error instanceof BiplaneError) || error.code !== "UNAUTHORIZED") throw error;
      await this.#save(url, { tokens: undefined });
      return false;
    }
  }

  async #acquire(url: string, challenge: AuthChallenge | undefined): Promise<boolean> {
    const found = await this.#discover(url, challenge);
    const record = await this.#store.load(url);
    const before = record?.tokens?.issuer === found.issuer.issuer ? record.tokens.scope : undefined;
    const scope = this.#scope(found, challenge, before);
    const isBound = this.#oauth.dpop ?? (found.needsDpop || challenge?.scheme === "dpop");
    const key = isBound ? await this.#dpopKey(url) : undefined;
    const { client, grant } = await this.#grant(found, record?.clients?.[found.issuer.issuer], scope);
    const tokens = await this.#request(found, grant, { client, key, scope });
    const clients = { ...record?.clients, [found.issuer.issuer]: client };
    await this.#save(url, { tokens, clients, ...(key && { key: { ...key.jwk } }) });
    return true;
  }

  async #grant(
    found: OAuthDiscovery,
    known: RegisteredClient | undefined,
    scope: string | undefined,
  ): Promise<{ client: RegisteredClient; grant: TokenGrant }> {
    const oauth = this.#oauth;
    if (oauth.grant === "client_credentials") {
      const client = await clientFor(found, known, { oauth, redirectUrl: undefined });
      return { client, grant: { grant_type: "client_credentials" } };
    }
    if (oauth.grant === "jwt_bearer") {
      if (!oauth.assertion) throw new BiplaneError("INVALID_DEFINITION", "The grant jwt_bearer needs `assertion`.");
      const { issuer, resource } = found;
      const types = stringList(issuer.grant_types_supported);
      if (types && !types.includes(jwtBearer))
        throw new BiplaneError("UNAUTHORIZED", `${issuer.issuer} does not support the grant jwt-bearer.`);
      const client = await clientFor(found, known, { oauth, redirectUrl: undefined });
      const profiles = stringList(issuer["authorization_grant_profiles_supported"]);
      const about = { issuer: issuer.issuer, tokenEndpoint: issuer.token_endpoint ?? "", resource, scope, profiles };
      return { client, grant: { grant_type: jwtBearer, assertion: await oauth.assertion(about) } };
    }
    await using flow = await prepareAuthorization(oauth, known?.redirectUrl);
    const client = await clientFor(found, known, { oauth, redirectUrl: flow.redirectUrl });
    return { client, grant: await flow.grant(found, client, scope) };
  }

  /** The scopes to request: those demanded now and before, so that the new token covers all of them. */
  #scope(found: OAuthDiscovery, challenge: AuthChallenge | undefined, before: string | undefined): string | undefined {
    const demanded = challenge?.scope?.split(" ") ?? found.scopes ?? [];
    const isInteractive = (this.#oauth.grant ?? "authorization_code") === "authorization_code";
    const canRefresh = isInteractive && stringList(found.issuer.scopes_supported)?.includes("offline_access");
    const all = [
      before?.split(" ") ?? [],
      demanded,
      this.#oauth.scope?.split(" ") ?? [],
      canRefresh ? ["offline_access"] : [],
    ];
    const scopes = new Set(all.flat().filter((scope) => scope !== ""));
    return scopes.size > 0 ? [...scopes].join(" ") : undefined;
  }

  async #discover(url: string, challenge: AuthChallenge | undefined): Promise<OAuthDiscovery> {
    const found = await discover(url, { challenge, expected: this.#oauth.issuer, fetch: this.#fetch });
    this.#found.set(url, found);
    return found;
  }

  async #dpopKey(url: string): Promise<DpopKey> {
    this.#key ??= await loadDpopKey((await this.#store.load(url))?.key);
    return this.#key;
  }

  async #save(url: string, change: TokenRecord): Promise<void> {
    await this.#store.save(url, { ...(await this.#store.load(url)), ...change });
  }

  #request(
    { issuer, resource, fetch }: OAuthDiscovery,
    grant: TokenGrant,
    options: Pick<TokenRequestOptions, "client" | "key" | "scope">,
  ): Promise<Tokens> {
    const shared = { privateKey: this.#oauth.privateKey, fetch, now: this.#now };
    return requestTokens(issuer, { ...grant, resource }, { ...options, ...shared });
  }
}

const jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const refreshMarginMs = 30_000;
const maxAttempts = 3;
