import type { JSX } from "preact";
import { Badge } from "../../components/badge.tsx";
import { Text } from "../../components/text.tsx";
import type { Role } from "../../../../packages/biplane/src/governance/people/roles.ts";

interface Access {
  readonly role: Role | null;
  readonly scopes: readonly string[];
}

/** All scopes are the role owner, however they were granted. */
export function roleOf({ role, scopes }: Access): Role | null {
  return role ?? (scopes.includes("*") ? "owner" : null);
}

/** A role, or the scopes of a person without one. */
export function RoleBadge({ access }: { readonly access: Access }): JSX.Element {
  const role = roleOf(access);
  if (role !== null) return <Badge tone={role === "owner" ? "accent" : "plain"}>{role}</Badge>;
  if (access.scopes.length === 0) return <span class="muted">overview only</span>;
  return (
    <span class="settings-scopes">
      {access.scopes.map((scope) => (
        <Badge key={scope}>
          <Text value={scope} maxLength={40} isFixed />
        </Badge>
      ))}
    </span>
  );
}
