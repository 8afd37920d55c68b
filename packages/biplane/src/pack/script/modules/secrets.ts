import { minSecretLength } from "@biplane/core/internal";
import type { HostFunctions } from "@biplane/starlark";
import { textArgument } from "./arguments.ts";

export interface SecretsModuleOptions {
  /** Secrets declared in the script's header, which the approval covers. */
  readonly declared: readonly string[];
  readonly secrets: (name: string) => string | undefined;
  /** Called with each secret the script reads, so that it can be redacted. */
  readonly onUse: (name: string, value: string) => void;
}

/** `secrets.get(name)`, `secrets.has(name)` and `secrets.list()`, for declared secrets only. */
export function secretsModule({ declared, secrets, onUse }: SecretsModuleOptions): HostFunctions[string] {
  const valueOf = (name: string) => (declared.includes(name) ? (secrets(name) ?? "") : "");
  return {
    get: (given: unknown) => {
      const name = textArgument(given, "the name");
      if (!declared.includes(name))
        throw new Error(`${JSON.stringify(name)} is not declared. Add it to # @secrets: in the header`);
      const value = valueOf(name);
      if (value === "") return "";
      if (value.length < minSecretLength)
        throw new Error(`${name} is too short to be redacted; it needs ${minSecretLength} characters`);
      onUse(name, value);
      return value;
    },
    has: (name: unknown) => valueOf(textArgument(name, "the name")) !== "",
    list: () => declared.filter((name) => valueOf(name) !== ""),
  };
}
