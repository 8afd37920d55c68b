import { useMemo } from "preact/hooks";
import type { ShownScript } from "../../../../src/desk/contract.ts";
import { useResource } from "../../resource.ts";

/** Which scripts say that they need which secret, as far as one may know. */
export function useSecretUses(): ReadonlyMap<string, readonly string[]> {
  const { data } = useResource<{ readonly scripts: readonly ShownScript[] }>("/api/scripts", { limit: 1000 });
  return useMemo(() => {
    const uses = new Map<string, string[]>();
    for (const { name, secrets } of data?.scripts ?? [])
      for (const secret of secrets) uses.set(secret, [...(uses.get(secret) ?? []), name]);
    return uses;
  }, [data]);
}
