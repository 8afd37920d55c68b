import { randomBytes } from "node:crypto";
import { BiplaneError } from "@biplane/core";
import type { Authenticate, Principal } from "@biplane/core";
import type { AuditSink } from "@biplane/core/internal";
import { changesRow } from "../../store/change-rows.ts";
import { RepeatedWork } from "../../store/repeated-work.ts";
import type { SqlStore } from "../../store/sql-store.ts";
import { storable } from "../../store/storable.ts";
import type { AccessTokenRow } from "../../store/tables.ts";
import { personEntry } from "../audit/person-entry.ts";
import { newToken, tokenHash, tokenOf } from "./token.ts";

/** A token of an agent or a trainer, without its secret. */
export interface StoredToken {
  readonly id: string;
  /** The principal id of calls with this token. */
  readonly principal: string;
  readonly kind: "token" | "trainer";
  readonly scopes: readonly string[];
  readonly createdBy: string;
  readonly createdAt: string;
  readonly rotatedAt: string | null;
  /** Until when the token before the last rotation is accepted. */
  readonly previousUntil: string | null;
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
}

export interface NewStoredToken {
  readonly principal: string;
  readonly kind: StoredToken["kind"];
  readonly scopes: readonly string[];
  /** Undefined: it does not expire. */
  readonly days?: number | undefined;
}

export interface StoredTokensOptions {
  readonly store: SqlStore;
  readonly audit?: AuditSink | undefined;
  readonly now?: () => number;
  /** How often changes of other processes are read, and uses are written (default: 2000). */
  readonly everyMs?: number;
  readonly onFault?: (fault: unknown) => void;
}

/**
 * Tokens of agents and trainers that people make on the page. Every process has them in memory, so a call needs no
 * query. A token that is revoked in another process is refused within `everyMs`.
 */
export class StoredTokens implements AsyncDisposable {
  readonly #options: StoredTokensOptions;
  readonly #now: () => number;
  #rows = new Map<string, AccessTokenRow>();
  #byHash = new Map<string, Known>();
  /** When tokens were used, as far as it is not written yet. */
  readonly #used = new Map<string, number>();
  #reloading: RepeatedWork | undefined;

  private constructor(options: StoredTokensOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  static async open(options: StoredTokensOptions): Promise<StoredTokens> {
    const tokens = new StoredTokens(options);
    await tokens.reload();
    const { everyMs = 2000, onFault = () => undefined } = options;
    tokens.#reloading = new RepeatedWork(() => tokens.reload(), { everyMs, onFault });
    return tokens;
  }

  /** Authenticates callers by these tokens. */
  readonly authenticate: Authenticate = (request) => {
    const token = tokenOf(request);
    const known = token === undefined ? undefined : this.#byHash.get(tokenHash(token));
    if (!known) return undefined;
    if (this.#now() >= known.until)
      throw new BiplaneError("UNAUTHORIZED", "The token has expired.", { details: { error: "invalid_token" } });
    this.#used.set(known.id, this.#now());
    return known.principal;
  };

  list(): readonly StoredToken[] {
    return Array.from(this.#rows.values(), (row) => this.#shown(row));
  }

  find(id: string): StoredToken | undefined {
    const row = this.#rows.get(id);
    return row && this.#shown(row);
  }

  /** The token itself is returned only here. */
  async make(wanted: NewStoredToken, by: Principal): Promise<StoredToken & { token: string }> {
    const { principal, kind, scopes, days } = wanted;
    if (this.#rows.size >= maxTokens)
      throw new BiplaneError("CAPACITY", `There are ${maxTokens} tokens already. Revoke some first.`);
    const token = newToken(prefix);
    const now = this.#now();
    const row: AccessTokenRow = {
      id: randomBytes(8).toString("hex"),
      hash: tokenHash(token),
      previous_hash: null,
      previous_until: null,
      principal: storable(principal),
      kind,
      scopes: JSON.stringify(scopes.map(storable)),
      created_by: by.id,
      created_at: now,
      rotated_at: null,
      expires_at: days === undefined ? null : now + days * dayMs,
      used_at: null,
    };
    await this.#options.store.db.insertInto("access_tokens").values(row).execute();
    await this.#record("tokens/create", { id: row.id, principal, kind, scopes }, by);
    await this.reload();
    return { ...this.#shown(row), token };
  }

  /** Replaces the secret. The one before is accepted for some hours, so that a caller can be changed in between. */
  async rotate(id: string, { graceHours }: { graceHours: number }, by: Principal) {
    const row = this.#rows.get(id);
    if (!row) return undefined;
    const token = newToken(prefix);
    const now = this.#now();
    const lifeMs = row.expires_at === null ? undefined : row.expires_at - (row.rotated_at ?? row.created_at);
    // The time of grace does not extend the old secret.
    const previousUntil = Math.min(now + graceHours * 3_600_000, row.expires_at ?? Infinity);
    const hasGrace = previousUntil > now;
    const change = {
      hash: tokenHash(token),
      previous_hash: hasGrace ? row.hash : null,
      previous_until: hasGrace ? previousUntil : null,
      rotated_at: now,
      expires_at: lifeMs === undefined ? null : now + lifeMs,
    };
    // Only the token that was read: of two rotations at once, one fails.
    const isRotated = await changesRow(this.#stored(id).where("hash", "=", row.hash).set(change));
    await this.reload();
    if (!isRotated) return undefined;
    await this.#record("tokens/rotate", { id, principal: row.principal, graceHours }, by);
    return { ...this.#shown({ ...row, ...change }), token };
  }

  async setScopes(id: string, scopes: readonly string[], by: Principal): Promise<StoredToken | undefined> {
    const isChanged = await changesRow(this.#stored(id).set({ scopes: JSON.stringify(scopes.map(storable)) }));
    await this.reload();
    if (isChanged) await this.#record("tokens/set-scopes", { id, scopes }, by);
    return this.find(id);
  }

  /** Takes effect at once here, and soon in other processes. */
  async revoke(id: string, by: Principal): Promise<boolean> {
    const row = this.#rows.get(id);
    const isRevoked = await changesRow(this.#options.store.db.deleteFrom("access_tokens").where("id", "=", id));
    await this.reload();
    if (isRevoked) await this.#record("tokens/revoke", { id, principal: row?.principal }, by);
    return isRevoked;
  }

  /** Writes when tokens were used, and reads what other processes changed. */
  async reload(): Promise<void> {
    const { db } = this.#options.store;
    for (const [id, at] of this.#used) {
      this.#used.delete(id);
      const last = this.#rows.get(id)?.used_at ?? 0;
      // Not worth a write on every call.
      if (at - last >= usedEveryMs) await this.#stored(id).set({ used_at: at }).execute();
    }
    const rows = await db.selectFrom("access_tokens").selectAll().orderBy("created_at").limit(maxTokens).execute();
    this.#rows = new Map(rows.map((row) => [row.id, row]));
    this.#byHash = new Map(rows.flatMap((row) => this.#known(row)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reloading?.[Symbol.asyncDispose]();
  }

  #stored(id: string) {
    return this.#options.store.db.updateTable("access_tokens").where("id", "=", id);
  }

  /** The current secret, and the one before it while it is accepted. */
  #known(row: AccessTokenRow): [string, Known][] {
    const until = row.expires_at ?? never;
    const current = this.#secret(row, row.hash, until);
    if (row.previous_hash === null) return [current];
    return [current, this.#secret(row, row.previous_hash, Math.min(until, row.previous_until ?? 0))];
  }

  /**
   * A connection keeps its principal. Its expiry is read at every call, so that the connection ends when the token is
   * revoked or replaced, or allows something else.
   */
  #secret({ id, kind, principal, scopes }: AccessTokenRow, hash: string, until: number): [string, Known] {
    const access = JSON.stringify([id, kind, principal, scopes]);
    const before = this.#byHash.get(hash);
    if (before?.access === access) return [hash, { ...before, until }];
    const expiry = () => {
      const now = this.#byHash.get(hash);
      return now?.access === access ? now.until : 0;
    };
    const live = {
      kind,
      id: principal,
      scopes: Object.freeze(JSON.parse(scopes) as string[]),
      get expiresAt() {
        return expiry();
      },
    };
    return [hash, { id, until, access, principal: Object.freeze(live) }];
  }

  #shown(row: AccessTokenRow): StoredToken {
    const time = (at: number | null) => (at === null ? null : new Date(at).toISOString());
    const isGrace = row.previous_until !== null && row.previous_until > this.#now();
    return {
      id: row.id,
      principal: row.principal,
      kind: row.kind,
      scopes: JSON.parse(row.scopes) as string[],
      createdBy: row.created_by,
      createdAt: new Date(row.created_at).toISOString(),
      rotatedAt: time(row.rotated_at),
      previousUntil: isGrace ? time(row.previous_until) : null,
      expiresAt: time(row.expires_at),
      lastUsedAt: time(this.#used.get(row.id) ?? row.used_at),
    };
  }

  async #record(action: string, input: unknown, by: Principal): Promise<void> {
    await this.#options.audit?.record(personEntry(action, { input, by, time: this.#now() }));
  }
}

interface Known {
  readonly id: string;
  readonly principal: Principal;
  readonly until: number;
  /** What it allows, to see whether that has changed. */
  readonly access: string;
}

const prefix = "biplane_t_";
const dayMs = 86_400_000;
/** The last moment that a date can have. */
const never = 8.64e15;
const maxTokens = 10_000;
const usedEveryMs = 30_000;
