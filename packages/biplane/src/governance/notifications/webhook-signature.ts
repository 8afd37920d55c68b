import { createHmac } from "node:crypto";
import { BiplaneError } from "@biplane/core";

/** What a webhook's signature covers. */
export interface SignedMessage {
  readonly id: string;
  /** Seconds since 1970. */
  readonly timestamp: number;
  /** The exact bytes of the body. */
  readonly body: string;
}

/** The headers of a webhook, as Standard Webhooks says. While a secret is replaced, both sign. */
export function webhookHeaders(
  { id, timestamp, body }: SignedMessage,
  keys: readonly Uint8Array[],
): Readonly<Record<string, string>> {
  const signatures = keys.map(
    (key) => `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`,
  );
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signatures.join(" "),
  };
}

/** The key in a secret such as `whsec_…`: 24 to 64 bytes in base64. The error does not repeat the secret. */
export function webhookKey(secret: string): Uint8Array {
  const [, encoded] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? [];
  const key = Buffer.from(encoded ?? "", "base64");
  if (key.length >= 24 && key.length <= 64) return key;
  throw new BiplaneError(
    "INVALID_DEFINITION",
    "A webhook's secret must be whsec_ and 24 to 64 random bytes in base64. Make one with: node -e \"console.log('whsec_' + crypto.randomBytes(32).toString('base64'))\"",
  );
}
