import type { JSX } from "preact";
import { mayRead, mayUse } from "../../access.ts";
import { LinkButton } from "../../components/button.tsx";
import { useResource } from "../../resource.ts";
import { href } from "../../router.ts";

/** True if no rule can ask a person, as far as the user may know. */
export function useHasNoRules(): boolean {
  const { data } = useResource("/api/policies", mayRead("policies") ? {} : undefined, { isCached: true });
  return data?.lists.every(({ rules, otherwise }) => rules.length === 0 && otherwise !== "ask") ?? false;
}

export function WriteRule(): JSX.Element | null {
  if (!mayUse("policies")) return null;
  return (
    <LinkButton kind="main" icon="plus" href={href("policies", [], { tab: "published" })}>
      Write a rule
    </LinkButton>
  );
}
