import { shortestSecret } from "../../../call/redact/redactor.ts";
import { createNamespace } from "../../../starlark/index.ts";
import { textArgument } from "./arguments.ts";

export interface SecretsOptions {
  /** What the header of the script names, and the approval therefore covers. */
  readonly declared: readonly string[];
  readonly secrets: (name: string) => string | undefined;
  /** Told of each value that the script gets, so that it can be kept from leaving. */
  readonly onUse: (name: string, value: string) => void;
}

/** `secrets.get(name)`, `secrets.has(name)` and `secrets.list()`, over the declared ones only. */
export function secretsModule({ declared, secrets, onUse }: SecretsOptions): unknown {
  const valueOf = (name: string) => (declared.includes(name) ? (secrets(name) ?? "") : "");
  return createNamespace("secrets", {
    get: (given: unknown) => {
      const name = textArgument(given, "the name");
      if (!declared.includes(name))
        throw new Error(`${JSON.stringify(name)} is not declared: write # @secrets: in the header`);
      const value = valueOf(name);
      if (value === "") return "";
      if (value.length < shortestSecret)
        throw new Error(`${name} is too short to be kept from leaving: it needs ${shortestSecret} characters`);
      onUse(name, value);
      return value;
    },
    has: (name: unknown) => valueOf(textArgument(name, "the name")) !== "",
    list: () => declared.filter((name) => valueOf(name) !== ""),
  });
}
