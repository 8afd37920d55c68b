import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { StoredRecord } from "@biplane/core/internal";
import { isSecretName } from "./rules.ts";

export interface StoredSecret {
  readonly value: string;
  readonly updatedAt: string;
}

/** AES-256-GCM with a new nonce per write. Name and time are authenticated too, so that records cannot be swapped. */
export function seal(secret: StoredSecret & { name: string }, key: Uint8Array): StoredRecord {
  const { name, value, updatedAt } = secret;
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(associatedData(name, updatedAt));
  const sealed = Buffer.concat([cipher.update(value, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return { version: 1, nonce: nonce.toString("base64"), sealed: sealed.toString("base64"), updatedAt };
}

/** Returns undefined if `seal` did not make this record for this name with this key. */
export function unseal(name: string, record: StoredRecord, key: Uint8Array): StoredSecret | undefined {
  const { version, nonce, sealed, updatedAt } = record;
  const isSealed = version === 1 && [nonce, sealed, updatedAt].every((field) => typeof field === "string");
  if (!isSealed || !isSecretName(name)) return undefined;
  const bytes = Buffer.from(sealed as string, "base64");
  try {
    const cipher = createDecipheriv("aes-256-gcm", key, Buffer.from(nonce as string, "base64"), { authTagLength: 16 });
    cipher.setAAD(associatedData(name, updatedAt as string)).setAuthTag(bytes.subarray(-16));
    const value = Buffer.concat([cipher.update(bytes.subarray(0, -16)), cipher.final()]).toString();
    return { value, updatedAt: updatedAt as string };
  } catch {
    return undefined;
  }
}

function associatedData(name: string, updatedAt: string): Buffer {
  return Buffer.from(JSON.stringify(["biplane.secret", 1, name, updatedAt]));
}
