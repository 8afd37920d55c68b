import { createHash, hkdfSync } from "node:crypto";
import { BiplaneError } from "@biplane/core";
import type { SqlStore } from "../store/sql-store.ts";

/** A key for one purpose, derived from the key for secrets: the same in every process that has that key. */
export function derivedKey(key: Uint8Array, purpose: string): string {
  return Buffer.from(hkdfSync("sha256", key, "", `biplane ${purpose}`, 32)).toString("base64url");
}

/**
 * Refuses to start with another key than the other processes on the same database: they could not read each other's
 * secrets, nor what clients send back to them.
 */
export async function checkSharedKey(store: SqlStore, key: Uint8Array): Promise<void> {
  if (!store.isShared) return;
  const hash = createHash("sha256").update(derivedKey(key, "check")).digest("hex");
  const known = await store.change("keys", "secrets", (record) => record ?? { hash });
  if (known?.["hash"] === hash) return;
  throw new BiplaneError(
    "INVALID_DEFINITION",
    `The key for secrets is not the one that ${store.name} was first opened with. Set BIPLANE_SECRETS_KEY to the same value on every machine.`,
  );
}
