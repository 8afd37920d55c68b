import { randomBytes } from "node:crypto";
import { openPeople } from "../../admin/people/people.ts";
import { SignInKeys } from "../../admin/people/sign-in-keys.ts";
import type { Store } from "../../store/store.ts";

/** Who looks at the demo. */
export interface Visitor {
  readonly name: string;
  /** For every time after the first. */
  readonly passphrase: string;
  readonly keys: SignInKeys;
  /** Lets the one who started the demo in at once, and only once. */
  readonly key: string;
}

/** Nothing in a demo is worth a form to fill in: there is somebody already, and the terminal has the key. */
export async function makeVisitor(store: Store): Promise<Visitor> {
  const passphrase = randomBytes(12).toString("base64url");
  const { name } = await openPeople({ store }).add({ name: "pilot", passphrase });
  const keys = new SignInKeys(store);
  return { name, passphrase, keys, key: await keys.make(name) };
}
