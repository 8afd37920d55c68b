import type { Config } from "../config/config-schema.ts";
import type { Secrets } from "../governance/secrets/secrets.ts";
import { weakSecret } from "../governance/secrets/weak-secret.ts";

/** A warning for each secret and token that can be guessed, by name. */
export function weakSecrets(secrets: Secrets, { auth }: Pick<Config, "auth">): string[] {
  const known = [
    ...secrets.names().map(({ name }) => ({ what: `The secret ${name}`, value: secrets.peek(name) })),
    ...(auth.tokens ?? []).map(({ id, token }) => ({ what: `The token of ${id}`, value: token })),
  ];
  return known.flatMap(({ what, value }) => {
    const weakness = value === undefined ? undefined : weakSecret(value);
    return weakness === undefined ? [] : [`${what} ${weakness}.`];
  });
}
