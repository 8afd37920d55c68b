import { useMemo } from "preact/hooks";
import { mayRead } from "../../access.ts";
import { useResource } from "../../resource.ts";

/** The scripts that declare each secret, as far as the user may see them. */
export function useSecretUses(): ReadonlyMap<string, readonly string[]> {
  const { data } = useResource("/api/scripts", mayRead("approvals") ? { query: { limit: 1000 } } : undefined);
  return useMemo(() => {
    const uses = new Map<string, string[]>();
    for (const { name, secrets } of data?.scripts ?? [])
      for (const secret of secrets) uses.set(secret, [...(uses.get(secret) ?? []), name]);
    return uses;
  }, [data]);
}
