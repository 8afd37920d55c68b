import { randomBytes } from "node:crypto";
import type { AuditSink } from "@biplane/core/internal";
import { networkOf } from "@biplane/core/internal";
import { BiplaneError } from "@biplane/core";
import type { Principal } from "@biplane/core";
import type { SqlStore } from "../../store/sql-store.ts";
import { personEntry } from "../audit/person-entry.ts";
import { hashPassphrase, verifyPassphrase, normalizePassphrase, defaultCost } from "./passphrase.ts";
import type { ScryptCost, PassphraseHash } from "./passphrase.ts";
import { Invitations, invalidInvitation } from "./invitations.ts";
import type { Access, Invitation, NewInvitation } from "./invitations.ts";
import { checkEmail, checkPersonName, normalizeName, principalOf } from "./person.ts";
import type { Credentials, Person, ProvidedPerson, StoredPerson } from "./person.ts";
import { effectiveAccess, newSessionKey, PersonRecords } from "./person-records.ts";
import { accessColumns, recordedAccess, shownPerson } from "./person-rows.ts";
import type { Role } from "./roles.ts";
import { PersonalTokens } from "./personal-tokens.ts";
import type { PersonalToken } from "./personal-tokens.ts";
import { LoginSessions } from "./login-sessions.ts";
import type { SessionKeys, LoginSessionOptions } from "./login-sessions.ts";
import { SetupCode } from "./setup-code.ts";
import type { SignInKeys } from "./sign-in-keys.ts";
import { checkStrength } from "./strength.ts";
import { LoginThrottle } from "./login-throttle.ts";
import type { LoginThrottleOptions } from "./login-throttle.ts";
import { ConcurrencyLimit } from "./concurrency-limit.ts";

export interface PeopleOptions {
  readonly store: SqlStore;
  /** Records every sign-in, failed attempt and change. */
  readonly audit?: AuditSink | undefined;
  readonly sessions?: LoginSessionOptions;
  /** One-time keys that replace a passphrase (default: none are accepted). */
  readonly keys?: SignInKeys | undefined;
  readonly throttle?: Omit<LoginThrottleOptions, "now">;
  /** How long personal tokens work after the last sign-in with a provider (default: 24 hours). */
  readonly providedTokenMs?: number | undefined;
  /** Cost of new passphrase hashes. Stored ones keep theirs. */
  readonly cost?: ScryptCost;
  readonly now?: () => number;
}

export interface NewPerson extends Credentials {
  /** Without a role (default: all scopes, `*`). */
  readonly scopes?: readonly string[] | undefined;
  readonly role?: Role | undefined;
  /** Accounts with the same e-mail address count as one person in approvals. */
  readonly email?: string | undefined;
}

/** A new session. `id` goes into a cookie, `key` into the page's storage. */
export interface SignedIn extends SessionKeys {
  readonly principal: Principal;
  readonly expiresAt: number;
  readonly lastsMs: number;
}

/** Opens the accounts of a store: people, sessions and personal tokens. */
export function openPeople(options: PeopleOptions): People {
  return new People(options);
}

/** The people who can sign in, with their roles, sessions and tokens. Create it with `openPeople`. */
export class People {
  readonly #store: SqlStore;
  readonly #audit: AuditSink | undefined;
  readonly #cost: ScryptCost;
  readonly #now: () => number;
  /** Unknown names are checked against this hash, so that they take equally long. */
  readonly #decoy: PassphraseHash;
  readonly #records: PersonRecords;
  readonly #sessions: LoginSessions;
  readonly #tokens: PersonalTokens;
  readonly #keys: SignInKeys | undefined;
  readonly #invitations: Invitations;
  readonly #throttle: LoginThrottle;
  readonly #hashing = new ConcurrencyLimit({ running: 2, waiting: 32 });
  readonly #setup = new SetupCode();
  readonly #providedTokenMs: number;

  constructor(options: PeopleOptions) {
    const { store, audit, cost = defaultCost, now = Date.now } = options;
    this.#store = store;
    this.#audit = audit;
    this.#cost = cost;
    this.#now = now;
    this.#decoy = { ...cost, salt: randomBytes(16).toString("base64url"), hash: randomBytes(32).toString("base64url") };
    this.#records = new PersonRecords(store, now);
    this.#sessions = new LoginSessions(store, { ...options.sessions, now });
    this.#tokens = new PersonalTokens(store, now);
    this.#keys = options.keys;
    this.#providedTokenMs = options.providedTokenMs ?? 24 * 3_600_000;
    this.#invitations = new Invitations(store, now);
    this.#throttle = new LoginThrottle(store, { ...options.throttle, now });
  }

  /** True until a person has all scopes. People whom a provider signed in before may have fewer. */
  async needsSetup(): Promise<boolean> {
    return !(await this.#records.hasOwner());
  }

  /** The code that `setUp` requires, for the terminal. Undefined once a person has all scopes. */
  async setupCode(): Promise<string | undefined> {
    return (await this.needsSetup()) ? this.#setup.show() : undefined;
  }

  /** Creates the administrator, once, with the code shown in the terminal. */
  async setUp({ code, ...person }: NewPerson & { readonly code: string }, address: string): Promise<SignedIn> {
    const restoreCode = (await this.needsSetup()) ? this.#setup.take(code) : undefined;
    if (!restoreCode) {
      // Throttle only wrong codes, so that an attacker cannot lock out the person who has the right one.
      await this.#throttle.count([`codes from ${networkOf(address)}`]);
      throw new BiplaneError(
        "UNAUTHORIZED",
        "The setup code is wrong or already used. The terminal shows the right one.",
      );
    }
    try {
      await this.add(person, { kind: "person", id: normalizeName(person.name), scopes: [] });
    } catch (error) {
      restoreCode();
      throw error;
    }
    const stored = await this.#records.find(normalizeName(person.name));
    if (!stored) throw new BiplaneError("INTERNAL", "The new account disappeared from the store.");
    return this.#signedIn(stored, address);
  }

  async add({ name, passphrase, scopes = ["*"], role, email }: NewPerson, by: Principal = terminal): Promise<Person> {
    const plain = checkPersonName(name);
    const about = { name: plain, email: checkEmail(email) };
    const hash = await this.#newHash(plain, passphrase);
    const person = this.#records.make({ ...about, passphrase: hash, ...(role ? { role } : { scopes }) });
    await this.#records.insert(this.#store.db, person);
    await this.#record("people/add", { name: plain, ...recordedAccess(person) }, by);
    return shownPerson(person);
  }

  /** Changes what a person may. It holds at once, also in open sessions. */
  async setAccess(name: string, access: Access, by: Principal = terminal): Promise<Person> {
    const person = { ...(await this.#records.mustFind(name)), ...effectiveAccess(access) };
    await this.#records.change(person.name, accessColumns(person));
    await this.#record("people/set-access", { name: person.name, ...recordedAccess(person) }, by);
    return shownPerson(person);
  }

  /** Creates a link with which one person can create an account. The key is returned only here. */
  async invite(by: Principal, invitation: NewInvitation): Promise<Invitation & { key: string }> {
    const made = await this.#invitations.make(await this.#records.mustFind(by.id), invitation);
    await this.#record("people/invite", { id: made.id, ...recordedAccess(made) }, by);
    return made;
  }

  invitations(): Promise<readonly Invitation[]> {
    return this.#invitations.list();
  }

  async revokeInvitation(id: string, by: Principal): Promise<boolean> {
    const isRevoked = await this.#invitations.revoke(id);
    if (isRevoked) await this.#record("people/revoke-invitation", { id }, by);
    return isRevoked;
  }

  /** The invitation with this key. If its maker could no longer grant as much, it is not valid any more. */
  async findInvitation(key: string, address: string): Promise<Invitation> {
    const throttled = [`invitations from ${networkOf(address)}`];
    await this.#throttle.count(throttled);
    const invitation = await this.#invitations.find(key, (inviter) => this.#records.find(inviter));
    if (!invitation) throw invalidInvitation();
    await this.#throttle.undo(throttled);
    return invitation;
  }

  /** Creates the account of an invitation. */
  async acceptInvitation({ key, name, passphrase }: Credentials & { key: string }, address: string): Promise<SignedIn> {
    const invitation = await this.findInvitation(key, address);
    const plain = checkPersonName(name);
    const hash = await this.#newHash(plain, passphrase);
    const { role, scopes } = invitation;
    const person = this.#records.make({ name: plain, passphrase: hash, ...(role ? { role } : { scopes }) });
    await this.#store.db.transaction().execute(async (transaction) => {
      await this.#records.insert(transaction, person);
      if (!(await this.#invitations.take(transaction, key))) throw invalidInvitation();
    });
    const about = { name: plain, invitation: invitation.id, ...recordedAccess(person) };
    await this.#record("people/accept-invitation", about, principalOf(person));
    return this.#signedIn(person, address);
  }

  /** Completes a sign-in with a provider. Failed ones are throttled by network, unless the provider is in trouble. */
  async finishProvided(finish: () => Promise<ProvidedPerson>, address: string): Promise<SignedIn> {
    const throttled = [`provider from ${networkOf(address)}`];
    await this.#throttle.count(throttled);
    const provided = await finish().catch(async (error: unknown) => {
      if (!(error instanceof BiplaneError && error.code === "UNAUTHORIZED")) await this.#throttle.undo(throttled);
      throw error;
    });
    await this.#throttle.undo(throttled);
    return this.signInProvided(provided, address);
  }

  /**
   * Signs in a person whom an OpenID provider vouches for, and creates the account the first time. The role is that of
   * the provider each time. An account with a passphrase is never taken over by one of the same name.
   */
  async signInProvided(provided: ProvidedPerson, address: string): Promise<SignedIn> {
    const { issuer, subject, role } = provided;
    const known = await this.#records.findProvided(issuer, subject);
    if (role === null) throw await this.#refused(provided, known);
    const signIn = { email: checkEmail(provided.email), signedInAt: this.#now() };
    if (known) {
      if (known.role !== role) await this.setAccess(known.name, { role }, principalOf(known));
      await this.#records.change(known.name, { email: signIn.email, signed_in_at: signIn.signedInAt });
      return this.#signedIn({ ...known, ...signIn, ...effectiveAccess({ role }) }, address);
    }
    const name = checkPersonName(provided.name);
    const person = this.#records.make({ name, passphrase: null, role, provider: issuer, subject, ...signIn });
    await this.#records.insert(this.#store.db, person);
    await this.#record("people/add", { name, provider: issuer, ...recordedAccess(person) }, principalOf(person));
    return this.#signedIn(person, address);
  }

  /** The provider no longer gives the person a role, so that their sessions and tokens end too. */
  async #refused({ name, refusal }: ProvidedPerson, known: StoredPerson | undefined): Promise<BiplaneError> {
    if (known) {
      await this.#records.change(known.name, { session_key: newSessionKey(), signed_in_at: null });
      await this.#record("people/refuse", { name: known.name }, principalOf(known), "UNAUTHORIZED");
    }
    return new BiplaneError("FORBIDDEN", refusal ?? `${name} has no role here.`);
  }

  list(page: { after?: string; limit?: number } = {}): Promise<readonly Person[]> {
    return this.#records.list(page);
  }

  async find(name: string): Promise<Person | undefined> {
    const person = await this.#records.find(normalizeName(name));
    return person && shownPerson(person);
  }

  /** Deletes the account and ends its sessions and tokens at once. Its name cannot be used again. */
  async remove(name: string, by: Principal = terminal): Promise<boolean> {
    const person = await this.#records.find(normalizeName(name));
    if (!person) return false;
    await this.#record("people/remove", { name: person.name }, by);
    return this.#records.delete(person);
  }

  /** Ends all sessions. Tokens stay valid and are revoked one by one. */
  async setPassphrase({ name, passphrase }: Credentials, by: Principal = terminal): Promise<void> {
    const { name: plain, provider } = await this.#records.mustFind(name);
    if (provider !== null)
      throw new BiplaneError("INVALID_INPUT", `${plain} signs in with ${provider} and has no passphrase here.`);
    const hash = await this.#newHash(plain, passphrase);
    await this.#records.change(plain, { passphrase: JSON.stringify(hash), session_key: newSessionKey() });
    await this.#record("people/passphrase", { name: plain }, by);
  }

  /** Wrong names and wrong passphrases take the same time and give the same error. */
  async signIn({ name, passphrase }: Credentials, address: string): Promise<SignedIn> {
    const text = normalizePassphrase(passphrase);
    const plain = normalizeName(name);
    const person = await this.#records.find(plain);
    const network = networkOf(address);
    const isKnown = person?.places.includes(network) ?? false;
    const nameKey = isKnown ? `name ${plain} at ${network}` : `name ${plain}`;
    // A person who signed in from here before is not slowed down by what others on the same network guess.
    const keys = isKnown ? [nameKey] : [`network ${network}`, nameKey];
    await this.#throttle.count(keys);
    const isCorrect = await this.#hashing
      .run(() => verifyPassphrase(text, person?.passphrase ?? this.#decoy))
      .catch(async (error: unknown) => {
        await this.#throttle.undo(keys);
        throw error;
      });
    if (!person?.passphrase || !isCorrect) {
      const by = { kind: "anonymous" as const, id: address, scopes: [] };
      // The typed name may be a passphrase, so record only names that exist.
      await this.#record("people/sign-in", { name: person?.name ?? "nobody" }, by, "UNAUTHORIZED");
      throw new BiplaneError("UNAUTHORIZED", "The name or the passphrase is wrong.");
    }
    await this.#throttle.undo(keys);
    await this.#throttle.reset(nameKey);
    return this.#signedIn(person, address);
  }

  /**
   * Signs in with a one-time key from the terminal. Wrong keys are throttled separately, since any link can contain
   * one.
   */
  async signInByKey(key: string, address: string): Promise<SignedIn> {
    const keys = [`keys from ${networkOf(address)}`];
    await this.#throttle.count(keys);
    const name = await this.#keys?.take(key);
    const person = name === undefined ? undefined : await this.#records.find(name);
    if (!person)
      throw new BiplaneError(
        "UNAUTHORIZED",
        "This link was already used, is incomplete or has expired. Get a new one from the terminal.",
      );
    await this.#throttle.undo(keys);
    return this.#signedIn(person, address);
  }

  /** Finds the person of a session. Only a use extends the idle time. */
  async bySession(
    keys: SessionKeys,
    use: { isUse: boolean } = { isUse: true },
  ): Promise<Pick<SignedIn, "principal" | "expiresAt"> | undefined> {
    const found = await this.#sessions.find(keys, (name) => this.#records.find(name), use);
    return found && { principal: principalOf(found.person), expiresAt: found.expiresAt };
  }

  /** Finds the person of a personal token. */
  async byToken(token: string): Promise<Principal | undefined> {
    const person = await this.#tokens.find(token, (name) => this.#records.find(name));
    return person && this.#isVouchedFor(person) ? principalOf(person) : undefined;
  }

  /** A provider does not tell when a person leaves, so that tokens need a recent sign-in with it. */
  #isVouchedFor({ provider, signedInAt }: StoredPerson): boolean {
    return provider === null || this.#now() - (signedInAt ?? -Infinity) <= this.#providedTokenMs;
  }

  async signOut(id: string): Promise<void> {
    await this.#sessions.close(id);
  }

  async signOutEverywhere(name: string): Promise<void> {
    const person = await this.#records.mustFind(name);
    await this.#records.change(person.name, { session_key: newSessionKey() });
    await this.#record("people/sign-out-everywhere", { name: person.name }, principalOf(person));
  }

  /** Creates a token for a program that acts for this person. It is returned only here. */
  async newToken(
    name: string,
    options: { label?: string; days?: number } = {},
  ): Promise<PersonalToken & { token: string }> {
    const person = await this.#records.mustFind(name);
    const made = await this.#tokens.make(person, { label: options.label ?? "", days: options.days ?? 90 });
    await this.#record("people/new-token", { id: made.id, label: made.label }, principalOf(person));
    return made;
  }

  async tokens(name: string): Promise<readonly PersonalToken[]> {
    return this.#tokens.list(await this.#records.mustFind(name));
  }

  async revokeToken(name: string, id: string): Promise<boolean> {
    const person = await this.#records.mustFind(name);
    const isRevoked = await this.#tokens.revoke(person, id);
    if (isRevoked) await this.#record("people/revoke-token", { id }, principalOf(person));
    return isRevoked;
  }

  async #signedIn(person: StoredPerson, address: string): Promise<SignedIn> {
    const keys = await this.#sessions.open(person);
    const network = networkOf(address);
    if (!person.places.includes(network))
      await this.#records.change(person.name, { places: JSON.stringify([network, ...person.places].slice(0, 8)) });
    await this.#record("people/sign-in", { name: person.name, address }, principalOf(person));
    const { longestMs } = this.#sessions;
    return { ...keys, principal: principalOf(person), expiresAt: this.#now() + longestMs, lastsMs: longestMs };
  }

  async #newHash(name: string, passphrase: string): Promise<PassphraseHash> {
    const text = normalizePassphrase(passphrase);
    checkStrength(text, name);
    return this.#hashing.run(() => hashPassphrase(text, this.#cost));
  }

  async #record(what: string, input: unknown, by: Principal, outcome: "done" | "UNAUTHORIZED" = "done"): Promise<void> {
    await this.#audit?.record({ ...personEntry(what, { input, by, time: this.#now() }), outcome });
  }
}

/** The local user, who can open the store's file. */
const terminal: Principal = Object.freeze({ kind: "local", id: "terminal", scopes: Object.freeze([]) });
