import { randomBytes } from "node:crypto";
import type { AuditSink } from "../../call/audit.ts";
import { networkOf } from "../../call/caller-of.ts";
import { BiplaneError } from "../../errors.ts";
import type { Store } from "../../store/store.ts";
import type { Principal } from "../../tool/call.ts";
import { personEntry } from "../audit/person-entry.ts";
import { hashPassphrase, isPassphrase, spelled, usualCost } from "./passphrase.ts";
import type { Cost, PassphraseHash } from "./passphrase.ts";
import { checkName, plainName, principalOf } from "./person.ts";
import type { Person, StoredPerson } from "./person.ts";
import { PersonalTokens } from "./personal-tokens.ts";
import type { PersonalToken } from "./personal-tokens.ts";
import { Sessions } from "./sessions.ts";
import type { SessionKeys, SessionOptions } from "./sessions.ts";
import { SetupCode } from "./setup-code.ts";
import type { SignInKeys } from "./sign-in-keys.ts";
import { checkStrength } from "./strength.ts";
import { Throttle } from "./throttle.ts";
import type { ThrottleOptions } from "./throttle.ts";
import { Workbench } from "./workbench.ts";

export interface PeopleOptions {
  readonly store: Store;
  /** Keeps a line of every login, wrong guess and change. */
  readonly audit?: AuditSink | undefined;
  readonly sessions?: SessionOptions;
  /** Keys that let somebody in once; left out, none does. */
  readonly keys?: SignInKeys | undefined;
  readonly throttle?: Omit<ThrottleOptions, "now">;
  /** How much work a guess is; those that are kept stay as they are. */
  readonly cost?: Cost;
  readonly now?: () => number;
}

export interface Credentials {
  readonly name: string;
  readonly passphrase: string;
}

export interface NewPerson extends Credentials {
  /** Left out: all there is. */
  readonly scopes?: readonly string[];
}

/** What a login gives: `id` goes into a cookie, `key` into the page's storage. */
export interface SignedIn extends SessionKeys {
  readonly principal: Principal;
  readonly expiresAt: number;
  readonly lastsMs: number;
}

/** The people of a store: who may log in, and who is. */
export function openPeople(options: PeopleOptions): People {
  return new People(options);
}

export class People {
  readonly #store: Store;
  readonly #audit: AuditSink | undefined;
  readonly #cost: Cost;
  readonly #now: () => number;
  /** Guesses at names that do not exist are checked against this, so that they take just as long. */
  readonly #decoy: PassphraseHash;
  readonly #sessions: Sessions;
  readonly #tokens: PersonalTokens;
  readonly #keys: SignInKeys | undefined;
  readonly #throttle: Throttle;
  readonly #workbench = new Workbench(2, 32);
  readonly #setup = new SetupCode();

  constructor(options: PeopleOptions) {
    const { store, audit, cost = usualCost, now = Date.now } = options;
    this.#store = store;
    this.#audit = audit;
    this.#cost = cost;
    this.#now = now;
    this.#decoy = { ...cost, salt: randomBytes(16).toString("base64url"), hash: randomBytes(32).toString("base64url") };
    this.#sessions = new Sessions(store, { ...options.sessions, now });
    this.#tokens = new PersonalTokens(store, now);
    this.#keys = options.keys;
    this.#throttle = new Throttle({ ...options.throttle, now });
  }

  /** Whether there is nobody yet. */
  async isEmpty(): Promise<boolean> {
    return (await this.#store.list(collection, { limit: 1 })).length === 0;
  }

  /** For the terminal, as long as there is nobody: what `setUp` wants to hear. */
  async setupCode(): Promise<string | undefined> {
    return (await this.isEmpty()) ? this.#setup.show() : undefined;
  }

  /** Makes the first person. Only with the code of the terminal, only once. */
  async setUp({ code, ...person }: NewPerson & { readonly code: string }, address: string): Promise<SignedIn> {
    const putBack = (await this.isEmpty()) ? this.#setup.take(code) : undefined;
    if (!putBack) {
      // Only wrong ones wait: nobody can guess it, and whoever tries must not keep out the one who knows it.
      this.#throttle.enter([`codes from ${networkOf(address)}`]);
      throw new BiplaneError("UNAUTHORIZED", "The setup code is wrong, or was used; the terminal shows the right one");
    }
    try {
      await this.add(person, { kind: "person", id: plainName(person.name), scopes: [] });
    } catch (error) {
      putBack();
      throw error;
    }
    const stored = await this.#find(plainName(person.name));
    if (!stored) throw new BiplaneError("INTERNAL", "The person who was just made is gone");
    return this.#signedIn(stored, address);
  }

  async add({ name, passphrase, scopes = ["*"] }: NewPerson, by: Principal = terminal): Promise<Person> {
    const plain = checkName(name);
    const hash = await this.#newHash(plain, passphrase);
    const person: StoredPerson = {
      name: plain,
      scopes: [...scopes],
      createdAt: new Date(this.#now()).toISOString(),
      id: randomBytes(16).toString("base64url"),
      sessionKey: randomBytes(16).toString("base64url"),
      passphrase: hash,
      places: [],
    };
    await this.#store.change(collection, plain, (there) => {
      if (there) throw new BiplaneError("INVALID_INPUT", `there is somebody called ${plain} already`);
      return { ...person };
    });
    await this.#record("people/add", { name: plain, scopes }, by);
    return shown(person);
  }

  async list(page: { after?: string; limit?: number } = {}): Promise<readonly Person[]> {
    const found = await this.#store.list(collection, page);
    return found.map(([, record]) => shown(record as unknown as StoredPerson));
  }

  async find(name: string): Promise<Person | undefined> {
    const person = await this.#find(plainName(name));
    return person && shown(person);
  }

  /** With everything that was his: sessions and tokens are over at once. */
  async remove(name: string, by: Principal = terminal): Promise<boolean> {
    const person = await this.#find(plainName(name));
    if (!person) return false;
    await this.#record("people/remove", { name: person.name }, by);
    return this.#store.delete(collection, person.name);
  }

  /** A new passphrase ends all sessions. Tokens stay: they are taken back one by one. */
  async setPassphrase({ name, passphrase }: Credentials, by: Principal = terminal): Promise<void> {
    const plain = (await this.#mustFind(name)).name;
    const hash = await this.#newHash(plain, passphrase);
    await this.#change(plain, { passphrase: hash, sessionKey: randomBytes(16).toString("base64url") });
    await this.#record("people/passphrase", { name: plain }, by);
  }

  /** The same answer, after the same work, whether it is the name or the passphrase that is wrong. */
  async signIn({ name, passphrase }: Credentials, address: string): Promise<SignedIn> {
    const text = spelled(passphrase);
    const plain = plainName(name);
    const person = await this.#find(plain);
    const place = networkOf(address);
    const isKnown = person?.places.includes(place) ?? false;
    const nameKey = isKnown ? `name ${plain} at ${place}` : `name ${plain}`;
    const keys = [`place ${place}`, nameKey];
    this.#throttle.enter(keys);
    const isRight = await this.#workbench
      .run(() => isPassphrase(text, person?.passphrase ?? this.#decoy))
      .catch((error: unknown) => {
        this.#throttle.takeBack(keys);
        throw error;
      });
    if (!person || !isRight) {
      const by = { kind: "anonymous" as const, id: address, scopes: [] };
      // What was typed as a name may be a passphrase: only names that exist are written down.
      await this.#record("people/sign-in", { name: person?.name ?? "nobody" }, by, "UNAUTHORIZED");
      throw new BiplaneError("UNAUTHORIZED", "The name or the passphrase is wrong");
    }
    this.#throttle.takeBack(keys);
    this.#throttle.forgive(nameKey);
    return this.#signedIn(person, address);
  }

  /**
   * By a key of the terminal instead of a passphrase. Each works once. Any link can bring a wrong one, so wrong ones slow
   * down nobody who has a passphrase.
   */
  async signInByKey(key: string, address: string): Promise<SignedIn> {
    const keys = [`keys from ${networkOf(address)}`];
    this.#throttle.enter(keys);
    const name = await this.#keys?.take(key);
    const person = name === undefined ? undefined : await this.#find(name);
    if (!person)
      throw new BiplaneError(
        "UNAUTHORIZED",
        "This link was used already, was cut short, or is old; the terminal gives another",
      );
    this.#throttle.takeBack(keys);
    return this.#signedIn(person, address);
  }

  /** Whose cookie and key these are. Only a use keeps a session from ending by being idle. */
  async bySession(
    keys: SessionKeys,
    use: { isUse: boolean } = { isUse: true },
  ): Promise<Pick<SignedIn, "principal" | "expiresAt"> | undefined> {
    const found = await this.#sessions.find(keys, (name) => this.#find(name), use);
    return found && { principal: principalOf(found.person), expiresAt: found.expiresAt };
  }

  /** Whose token it is. */
  async byToken(token: string): Promise<Principal | undefined> {
    const person = await this.#tokens.find(token, (name) => this.#find(name));
    return person && principalOf(person);
  }

  async signOut(id: string): Promise<void> {
    await this.#sessions.close(id);
  }

  async signOutEverywhere(name: string): Promise<void> {
    const person = await this.#mustFind(name);
    await this.#change(person.name, { sessionKey: randomBytes(16).toString("base64url") });
    await this.#record("people/sign-out-everywhere", { name: person.name }, principalOf(person));
  }

  /** A token for programs that act for a person. It is shown here and never again. */
  async newToken(
    name: string,
    options: { label?: string; days?: number } = {},
  ): Promise<PersonalToken & { token: string }> {
    const person = await this.#mustFind(name);
    const made = await this.#tokens.make(person, { label: options.label ?? "", days: options.days ?? 90 });
    await this.#record("people/new-token", { id: made.id, label: made.label }, principalOf(person));
    return made;
  }

  async tokens(name: string): Promise<readonly PersonalToken[]> {
    return this.#tokens.list(await this.#mustFind(name));
  }

  async revokeToken(name: string, id: string): Promise<boolean> {
    const person = await this.#mustFind(name);
    const isRevoked = await this.#tokens.revoke(person, id);
    if (isRevoked) await this.#record("people/revoke-token", { id }, principalOf(person));
    return isRevoked;
  }

  async #signedIn(person: StoredPerson, address: string): Promise<SignedIn> {
    const keys = await this.#sessions.open(person);
    const place = networkOf(address);
    if (!person.places.includes(place))
      await this.#change(person.name, { places: [place, ...person.places].slice(0, 8) });
    await this.#record("people/sign-in", { name: person.name, address }, principalOf(person));
    const { longestMs } = this.#sessions;
    return { ...keys, principal: principalOf(person), expiresAt: this.#now() + longestMs, lastsMs: longestMs };
  }

  async #newHash(name: string, passphrase: string): Promise<PassphraseHash> {
    const text = spelled(passphrase);
    checkStrength(text, name);
    return this.#workbench.run(() => hashPassphrase(text, this.#cost));
  }

  async #find(name: string): Promise<StoredPerson | undefined> {
    return name === "" ? undefined : ((await this.#store.get(collection, name)) as unknown as StoredPerson | undefined);
  }

  async #mustFind(name: string): Promise<StoredPerson> {
    const person = await this.#find(plainName(name));
    if (person) return person;
    throw new BiplaneError("INVALID_INPUT", `there is nobody called ${JSON.stringify(plainName(name).slice(0, 80))}`);
  }

  async #change(name: string, change: Partial<StoredPerson>): Promise<StoredPerson> {
    const after = await this.#store.change(collection, name, (person) => person && { ...person, ...change });
    if (!after) throw new BiplaneError("INVALID_INPUT", `there is nobody called ${name} any more`);
    return after as unknown as StoredPerson;
  }

  async #record(what: string, input: unknown, by: Principal, outcome: "done" | "UNAUTHORIZED" = "done"): Promise<void> {
    await this.#audit?.record({ ...personEntry(what, input, by, this.#now()), outcome });
  }
}

const collection = "people";

/** Whoever can open the store's file. */
const terminal: Principal = Object.freeze({ kind: "local", id: "terminal", scopes: Object.freeze([]) });

function shown({ name, scopes, createdAt }: StoredPerson): Person {
  return { name, scopes, createdAt };
}
