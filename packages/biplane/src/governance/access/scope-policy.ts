import { allow, deny } from "@biplane/core";
import type { Policy } from "@biplane/core";
import { compileGlob } from "@biplane/core/internal";

/**
 * Requires scopes per tool: `{ "crm_*": ["crm:read"], crm_delete: ["crm:write"] }`. A tool needs the scopes of every
 * matching pattern, and none if no pattern matches. Local callers have no token and are exempt.
 */
export function scopePolicy(scopesPerTool: Readonly<Record<string, readonly string[]>>): Policy {
  const rules = Object.entries(scopesPerTool).map(([pattern, scopes]) => ({ matches: compileGlob(pattern), scopes }));
  const policy: Policy = (_agent, toolName, _input, { principal }) => {
    if (principal.kind === "local") return allow();
    const missing = new Set<string>();
    for (const { matches, scopes } of rules) {
      if (matches(toolName)) for (const scope of scopes) if (!principal.scopes.includes(scope)) missing.add(scope);
    }
    if (missing.size === 0) return allow();
    const scopes = [...missing];
    return deny(`${toolName} needs the scope ${scopes.join(" and ")}.`, { scopes, rule: name });
  };
  return Object.defineProperty(policy, "name", { value: name });
}

const name = "auth.oauth.toolScopes";
