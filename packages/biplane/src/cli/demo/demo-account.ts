import { randomBytes } from "node:crypto";
import { openPeople } from "../../governance/people/people.ts";
import { SignInKeys } from "../../governance/people/sign-in-keys.ts";
import type { SqlStore } from "../../store/sql-store.ts";

/** The administrator account of the demo. */
export interface DemoAccount {
  readonly name: string;
  /** For signing in after the key was used. */
  readonly passphrase: string;
  readonly keys: SignInKeys;
  /** Single-use sign-in key for the link in the terminal. */
  readonly key: string;
}

/** Creates the account up front, so that the demo opens without a setup form. */
export async function createDemoAccount(store: SqlStore): Promise<DemoAccount> {
  const passphrase = randomBytes(12).toString("base64url");
  const { name } = await openPeople({ store }).add({ name: "demo", passphrase });
  const keys = new SignInKeys(store);
  return { name, passphrase, keys, key: await keys.make(name) };
}
