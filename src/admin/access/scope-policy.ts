import { allow, deny } from "../../call/policy.ts";
import type { Policy } from "../../call/policy.ts";
import { compileGlob } from "../../call/rules/glob.ts";

/**
 * Which scopes each tool needs: `{ "crm_*": ["crm:read"], crm_delete: ["crm:write"] }`. A tool needs those of every
 * pattern that fits it; one that no pattern fits needs none, and `"*"` fits all. Whoever starts the process himself
 * has no token and is not asked for scopes.
 */
export function scopePolicy(scopesPerTool: Readonly<Record<string, readonly string[]>>): Policy {
  const rules = Object.entries(scopesPerTool).map(([pattern, scopes]) => ({ fits: compileGlob(pattern), scopes }));
  return (_agent, toolName, _input, { principal }) => {
    if (principal.kind === "local") return allow();
    const missing = new Set<string>();
    for (const { fits, scopes } of rules) {
      if (fits(toolName)) for (const scope of scopes) if (!principal.scopes.includes(scope)) missing.add(scope);
    }
    if (missing.size === 0) return allow();
    const scopes = [...missing];
    return deny(`${toolName} needs the scope ${scopes.join(" and ")}`, { scopes });
  };
}
