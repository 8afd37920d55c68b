import { BiplaneError } from "../../errors.ts";
import type { Store } from "../../store/store.ts";
import { unseal, type StoredSecret } from "./sealed.ts";

/** Every secret in the store. One that cannot be read is an error: a server must not start without it unnoticed. */
export async function storedSecrets(store: Store, key: Uint8Array): Promise<ReadonlyMap<string, StoredSecret>> {
  const secrets = new Map<string, StoredSecret>();
  const unreadable: string[] = [];
  let after = "";
  for (;;) {
    const page = await store.list("secrets", { after });
    for (const [name, record] of page) {
      const secret = unseal(name, record, key);
      if (secret) secrets.set(name, secret);
      else unreadable.push(name);
    }
    const last = page.at(-1);
    if (!last) break;
    after = last[0];
  }
  if (unreadable.length > 0) {
    throw new BiplaneError(
      "INVALID_DEFINITION",
      `cannot decrypt ${unreadable.join(", ")}: the key is not the one they were stored with, or the store was changed by another hand`,
      { details: { names: unreadable } },
    );
  }
  return secrets;
}
