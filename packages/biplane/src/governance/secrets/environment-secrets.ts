import { checkSecretName, checkSecretValue } from "./rules.ts";

/** Reads secrets from variables named `BIPLANE_SECRET_<NAME>`. */
export function environmentSecrets(
  environment: Readonly<Record<string, string | undefined>>,
): ReadonlyMap<string, string> {
  const secrets = new Map<string, string>();
  for (const [variable, value] of Object.entries(environment)) {
    if (!variable.startsWith(prefix) || value === undefined) continue;
    const name = variable.slice(prefix.length);
    checkSecretName(name, "INVALID_DEFINITION");
    checkSecretValue(name, value, "INVALID_DEFINITION");
    secrets.set(name, value);
  }
  return secrets;
}

const prefix = "BIPLANE_SECRET_";
