import { randomBytes } from "node:crypto";
import { BiplaneError } from "@biplane/core";
import { changesRow } from "../../store/change-rows.ts";
import type { SqlStore } from "../../store/sql-store.ts";
import type { InvitationRow } from "../../store/tables.ts";
import { newToken, tokenHash } from "../access/token.ts";
import type { StoredPerson } from "./person.ts";
import { roleFrom, roles } from "./roles.ts";
import type { Role } from "./roles.ts";

/** A link with which one person can create an account, without its secret. */
export interface Invitation {
  readonly id: string;
  readonly role: Role | null;
  readonly scopes: readonly string[];
  readonly invitedBy: string;
  /** Whom it is for, as its maker wrote. */
  readonly note: string | null;
  readonly createdAt: string;
  readonly expiresAt: string;
}

/** What an account may: a role, or else scopes. */
export type Access =
  | { readonly role: Role; readonly scopes?: undefined }
  | { readonly role?: undefined; readonly scopes: readonly string[] };

export type NewInvitation = Access & { readonly days: number; readonly note?: string | undefined };

const prefix = "biplane_i_";

/** Invitations in the store. Each works once, until it expires. */
export class Invitations {
  readonly #store: SqlStore;
  readonly #now: () => number;

  constructor(store: SqlStore, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  /** The key is returned only here. */
  async make(by: StoredPerson, { days, note, ...access }: NewInvitation): Promise<Invitation & { key: string }> {
    if (!(days > 0 && days <= 90)) throw new BiplaneError("INVALID_INPUT", "days must be above 0 and at most 90.");
    await this.#deleteExpired();
    const key = newToken(prefix, 24);
    const row: InvitationRow = {
      hash: tokenHash(key),
      id: randomBytes(8).toString("hex"),
      role: access.role ?? null,
      scopes: JSON.stringify(access.scopes ?? []),
      invited_by: by.name,
      inviter: by.id,
      created_at: this.#now(),
      expires_at: this.#now() + days * 86_400_000,
      note: note?.trim() || null,
    };
    await this.#store.db.insertInto("invitations").values(row).execute();
    return { ...invitationFrom(row), key };
  }

  /** Those that can still be used. */
  async list(): Promise<readonly Invitation[]> {
    const rows = await this.#valid(this.#store.db).orderBy("created_at", "desc").limit(maxListed).execute();
    return rows.map(invitationFrom);
  }

  revoke(id: string): Promise<boolean> {
    return changesRow(this.#store.db.deleteFrom("invitations").where("id", "=", id));
  }

  /** Finds a valid one. It is not if its maker, whom `find` looks up, may no longer invite or grant as much. */
  async find(key: string, find: (name: string) => Promise<StoredPerson | undefined>): Promise<Invitation | undefined> {
    if (!key.startsWith(prefix) || key.length > 100) return undefined;
    const row = await this.#valid(this.#store.db).where("hash", "=", tokenHash(key)).executeTakeFirst();
    const inviter = row && (await find(row.invited_by));
    if (!row || inviter?.id !== row.inviter) return undefined;
    const invitation = invitationFrom(row);
    return mayInvite(inviter.scopes, invitation.scopes) ? invitation : undefined;
  }

  /** True if this call used the invitation up. Run it in the transaction that creates the account. */
  take(db: SqlStore["db"], key: string): Promise<boolean> {
    return changesRow(db.deleteFrom("invitations").where("hash", "=", tokenHash(key)));
  }

  #valid(db: SqlStore["db"]) {
    return db.selectFrom("invitations").selectAll().where("expires_at", ">", this.#now());
  }

  async #deleteExpired(): Promise<void> {
    await this.#store.db.deleteFrom("invitations").where("expires_at", "<=", this.#now()).execute();
  }
}

function invitationFrom(row: InvitationRow): Invitation {
  const role = roleFrom(row.role);
  return {
    id: row.id,
    role,
    scopes: role === null ? (JSON.parse(row.scopes) as string[]) : roles[role].scopes,
    invitedBy: row.invited_by,
    note: row.note,
    createdAt: new Date(row.created_at).toISOString(),
    expiresAt: new Date(row.expires_at).toISOString(),
  };
}

const maxListed = 1000;

function mayInvite(held: readonly string[], granted: readonly string[]): boolean {
  const isHeld = (scope: string) => held.includes(scope) || held.includes(scope.replace(/:read$/, ""));
  return held.includes("*") || ["people", ...granted].every(isHeld);
}

export function invalidInvitation(): BiplaneError {
  return new BiplaneError(
    "UNAUTHORIZED",
    "This invitation was already used, has expired or was revoked. Ask for a new one.",
  );
}
