import { BiplaneError } from "@biplane/core";
import type { StoredRecord } from "@biplane/core/internal";
import type { SqlStore } from "../../store/sql-store.ts";
import { unseal, type StoredSecret } from "./sealed.ts";

/** Every secret in the store. An unreadable one is an error, so that no server starts without it unnoticed. */
export async function storedSecrets(
  { db }: Pick<SqlStore, "db">,
  key: Uint8Array,
): Promise<ReadonlyMap<string, StoredSecret>> {
  const secrets = new Map<string, StoredSecret>();
  const unreadable: string[] = [];
  for (const { name, sealed } of await db.selectFrom("secrets").selectAll().orderBy("name").execute()) {
    const secret = unseal(name, JSON.parse(sealed) as StoredRecord, key);
    if (secret) secrets.set(name, secret);
    else unreadable.push(name);
  }
  if (unreadable.length > 0) {
    throw new BiplaneError(
      "INVALID_DEFINITION",
      `Cannot decrypt ${unreadable.join(", ")}. Either the key is not the one they were stored with, or the stored records were modified. Restore the key that belongs to the store.`,
      { details: { names: unreadable } },
    );
  }
  return secrets;
}
