import { BiplaneError } from "../../errors.ts";
import { AuthorizationCode } from "./authorization-code.ts";
import type { Authorizer, Fetch, Refusal } from "./authorizer.ts";
import { readChallenge } from "./challenge.ts";
import type { Challenge } from "./challenge.ts";
import { discover, texts } from "./discovery.ts";
import type { Discovered } from "./discovery.ts";
import { DpopKey } from "./dpop.ts";
import type { OAuthOptions } from "./options.ts";
import { clientFor } from "./register.ts";
import { requestTokens } from "./token-endpoint.ts";
import { memoryTokenStore } from "./token-store.ts";
import type { RegisteredClient, TokenRecord, TokenStore } from "./token-store.ts";

/** Gets tokens when a server wants them, keeps them fresh, and gets better ones when it wants more. */
export class OAuth implements Authorizer {
  readonly #oauth: OAuthOptions;
  readonly #fetch: Fetch;
  readonly #store: TokenStore;
  readonly #now: () => number;
  readonly #found = new Map<string, Discovered>();
  readonly #underWay = new Map<string, Promise<boolean>>();
  #key: DpopKey | undefined;

  constructor(oauth: OAuthOptions, options: { fetch: Fetch }) {
    this.#oauth = oauth;
    this.#fetch = options.fetch;
    this.#store = oauth.store ?? memoryTokenStore();
    this.#now = oauth.now ?? Date.now;
  }

  async headers(request: { method: string; url: string }): Promise<Record<string, string>> {
    let tokens = (await this.#store.load(request.url))?.tokens;
    if (tokens?.expiresAt !== undefined && tokens.expiresAt - this.#now() < aboutToExpireMs && tokens.refreshToken) {
      await this.#once(request.url, () => this.#refresh(request.url, undefined));
      tokens = (await this.#store.load(request.url))?.tokens;
    }
    if (!tokens) return {};
    if (tokens.type === "Bearer") return { authorization: `Bearer ${tokens.accessToken}` };
    const key = await this.#dpopKey(request.url);
    const dpop = await key.proof(request, tokens.accessToken);
    return { authorization: `DPoP ${tokens.accessToken}`, dpop };
  }

  async refused({ url, status, headers, attempt }: Refusal): Promise<boolean> {
    const challenge = readChallenge(headers);
    const isNewNonce = this.#key?.learn(url, headers) ?? false;
    if (challenge?.error === "use_dpop_nonce") return isNewNonce && attempt <= mostAttempts;
    if (attempt >= mostAttempts) return false;
    if (status === 403 && challenge?.error !== "insufficient_scope") return false;
    return this.#once(url, async () => {
      const isWorthRefreshing = status === 401 && attempt === 1;
      return (isWorthRefreshing && (await this.#refresh(url, challenge))) || this.#acquire(url, challenge);
    });
  }

  /** Of many requests that are refused together, one gets the tokens. */
  #once(url: string, work: () => Promise<boolean>): Promise<boolean> {
    let running = this.#underWay.get(url);
    if (!running) {
      running = work().finally(() => this.#underWay.delete(url));
      this.#underWay.set(url, running);
    }
    return running;
  }

  /** Fresh tokens for old ones; false where there is nothing to refresh or it did not work. */
  async #refresh(url: string, challenge: Challenge | undefined): Promise<boolean> {
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
    if (found.issuer !== issuer || !client) return false; // another authorization server has no use for it
    try {
      const key = record?.tokens?.type === "DPoP" ? await this.#dpopKey(url) : undefined;
      const grant = { grant_type: "refresh_token", refresh_token: refreshToken };
      const tokens = await requestTokens(found, grant, { client, key, scope, ...this.#shared() });
      await this.#save(url, { tokens: { refreshToken, ...tokens } });
      return true;
    } catch (error) {
      if (!(error instanceof BiplaneError) || error.code !== "UNAUTHORIZED") throw error;
      await this.#save(url, { tokens: undefined });
      return false;
    }
  }

  async #acquire(url: string, challenge: Challenge | undefined): Promise<boolean> {
    const found = await this.#discover(url, challenge);
    const record = await this.#store.load(url);
    const before = record?.tokens?.issuer === found.issuer ? record.tokens.scope : undefined;
    const scope = this.#scope(found, challenge, before);
    const isBound = this.#oauth.dpop ?? challenge?.scheme === "dpop";
    const key = isBound ? await this.#dpopKey(url) : undefined;
    const { client, grant } = await this.#grant(found, record?.clients?.[found.issuer], scope);
    const tokens = await requestTokens(found, grant, { client, key, scope, ...this.#shared() });
    const clients = { ...record?.clients, [found.issuer]: client };
    await this.#save(url, { tokens, clients, ...(key && { key: { ...key.jwk } }) });
    return true;
  }

  async #grant(
    found: Discovered,
    known: RegisteredClient | undefined,
    scope: string | undefined,
  ): Promise<{ client: RegisteredClient; grant: Record<string, string> }> {
    const oauth = this.#oauth;
    const options = { oauth, fetch: this.#fetch };
    if (oauth.grant === "client_credentials") {
      const client = await clientFor(found, known, { ...options, redirectUrl: undefined });
      return { client, grant: { grant_type: "client_credentials" } };
    }
    if (oauth.grant === "jwt_bearer") {
      if (!oauth.assertion) throw new BiplaneError("INVALID_DEFINITION", "the grant jwt_bearer needs `assertion`");
      const client = await clientFor(found, known, { ...options, redirectUrl: undefined });
      const assertion = await oauth.assertion({ issuer: found.issuer, resource: found.resource, scope });
      return { client, grant: { grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion } };
    }
    await using way = await AuthorizationCode.prepare(oauth, known?.redirectUrl);
    const client = await clientFor(found, known, { ...options, redirectUrl: way.redirectUrl });
    return { client, grant: await way.grant(found, client, scope) };
  }

  /** What the server wants now, with what it wanted before, so that the new token is good for all of it. */
  #scope(found: Discovered, challenge: Challenge | undefined, before: string | undefined): string | undefined {
    const wanted = challenge?.scope?.split(" ") ?? found.scopes ?? [];
    const isForPeople = (this.#oauth.grant ?? "authorization_code") === "authorization_code";
    const canStay = isForPeople && texts(found.metadata["scopes_supported"])?.includes("offline_access");
    const all = [
      before?.split(" ") ?? [],
      wanted,
      this.#oauth.scope?.split(" ") ?? [],
      canStay ? ["offline_access"] : [],
    ];
    const scopes = new Set(all.flat().filter((scope) => scope !== ""));
    return scopes.size > 0 ? [...scopes].join(" ") : undefined;
  }

  async #discover(url: string, challenge: Challenge | undefined): Promise<Discovered> {
    const found = await discover(url, { challenge, expected: this.#oauth.issuer, fetch: this.#fetch });
    this.#found.set(url, found);
    return found;
  }

  async #dpopKey(url: string): Promise<DpopKey> {
    this.#key ??= await DpopKey.load((await this.#store.load(url))?.key, this.#now);
    return this.#key;
  }

  async #save(url: string, change: TokenRecord): Promise<void> {
    await this.#store.save(url, { ...(await this.#store.load(url)), ...change });
  }

  #shared() {
    return { oauth: this.#oauth, fetch: this.#fetch, now: this.#now };
  }
}

const aboutToExpireMs = 30_000;
const mostAttempts = 3;
