import type { JSX } from "preact";
import { compileGlob } from "../../../../packages/core/src/call/rules/glob.ts";
import type { PolicyList, PolicyRule } from "../../../../packages/biplane/src/admin/governance/policy-api.ts";
import type { ToolSummary } from "../../../../packages/biplane/src/admin/overview/overview-api.ts";
import { mayRead } from "../../access.ts";
import { Text } from "../../components/text.tsx";
import { count } from "../../format.ts";
import { useResource } from "../../resource.ts";
import { href } from "../../router.ts";
import { VerdictBadge } from "../policies/verdict-badge.tsx";

/** The policy rules that may decide about calls of a tool. Undefined until they are loaded. */
export function useToolRules({ server, name }: ToolSummary): readonly PolicyRule[] | undefined {
  const { data, error } = useResource("/api/policies", mayRead("policies") ? {} : undefined, { isCached: true });
  if (data === undefined && error === undefined) return undefined;
  const lists = data?.lists.filter((list) => list.server === null || list.server === server) ?? [];
  return lists.flatMap((list: PolicyList) => list.rules.filter(({ rule }) => isAbout(rule, name)));
}

function isAbout(rule: PolicyRule["rule"], tool: string): boolean {
  const globs = [rule?.["tool"] ?? "*"].flat();
  return globs.some((glob) => typeof glob === "string" && compileGlob(glob)(tool));
}

/** The rules in the order in which they are checked. Keeps their place while they load. */
export function ToolRules({ rules }: { readonly rules: readonly PolicyRule[] | undefined }): JSX.Element {
  if (rules?.length === 0) return <span class="muted">none</span>;
  if (!rules)
    return (
      <div class="tools-rules" aria-hidden="true">
        <div class="skeleton" />
        <div class="skeleton" />
        <div class="skeleton" />
      </div>
    );
  return (
    <ul class="tools-rules">
      {rules.slice(0, maxRules).map(({ id, name, verdict }) => (
        <li key={id}>
          <VerdictBadge verdict={verdict} />{" "}
          <a href={href("policies")}>
            <Text value={name ?? id} maxLength={80} isFixed />
          </a>
        </li>
      ))}
      {rules.length > maxRules && <li class="muted">and {count(rules.length - maxRules)} more</li>}
    </ul>
  );
}

const maxRules = 8;
