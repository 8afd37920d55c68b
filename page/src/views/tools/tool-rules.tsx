import type { JSX } from "preact";
import { compileGlob } from "../../../../packages/core/src/call/rules/glob.ts";
import type { PolicyRule } from "../../../../packages/biplane/src/admin/governance/policy-api.ts";
import type { ToolSummary } from "../../../../packages/biplane/src/admin/overview/overview-api.ts";
import { mayRead } from "../../access.ts";
import { Text } from "../../components/text.tsx";
import { count } from "../../format.ts";
import { useResource } from "../../resource.ts";
import { href } from "../../router.ts";
import { conditionsOf } from "../policies/conditions.tsx";
import { VerdictBadge } from "../policies/verdict-badge.tsx";

/** The lists of policy rules that may decide about calls of a tool. Undefined until they are loaded. */
export function useToolRules({ server, name }: ToolSummary): readonly ToolRuleList[] | undefined {
  const { data, error } = useResource("/api/policies", mayRead("policies") ? {} : undefined, { isCached: true });
  if (data === undefined && error === undefined) return undefined;
  const lists = data?.lists.filter((list) => list.server === null || list.server === server) ?? [];
  const byTitle = new Map<string, PolicyRule[]>();
  for (const { source, rules } of lists) {
    const title = titles.get(source) ?? "Code";
    byTitle.set(title, [...(byTitle.get(title) ?? []), ...rules.filter(({ rule }) => isAbout(rule, name))]);
  }
  return Array.from(byTitle, ([title, rules]) => ({ title, rules })).filter(({ rules }) => rules.length > 0);
}

interface ToolRuleList {
  readonly title: string;
  readonly rules: readonly PolicyRule[];
}

const titles = new Map([
  ["config", "Config file"],
  ["published", "Published rules"],
]);

function isAbout(rule: PolicyRule["rule"], tool: string): boolean {
  const globs = [rule?.["tool"] ?? "*"].flat();
  return globs.some((glob) => typeof glob === "string" && compileGlob(glob)(tool));
}

/** The rules by list, in the order in which they are checked. Keeps their place while they load. */
export function ToolRules({ lists }: { readonly lists: readonly ToolRuleList[] | undefined }): JSX.Element {
  if (lists?.length === 0) return <span class="muted">none</span>;
  if (!lists)
    return (
      <div class="tools-rules" aria-hidden="true">
        <div class="skeleton" />
        <div class="skeleton" />
        <div class="skeleton" />
      </div>
    );
  return (
    <div class="tools-rules">
      {lists.map(({ title, rules }) => (
        <section key={title}>
          <p class="tools-rules-list muted small">{title}</p>
          <ul>
            {rules.slice(0, maxRules).map((rule) => (
              <li key={rule.id}>
                <RuleLine rule={rule} />
              </li>
            ))}
            {rules.length > maxRules && <li class="muted">and {count(rules.length - maxRules)} more</li>}
          </ul>
        </section>
      ))}
      {lists.length > 1 && (
        <p class="muted small">Each of these must allow a call. In a list, the first rule that matches decides.</p>
      )}
    </div>
  );
}

function RuleLine({ rule: { id, name, verdict, rule } }: { readonly rule: PolicyRule }): JSX.Element {
  const conditions = rule ? conditionsOf(rule) : [];
  return (
    <>
      {verdict !== null && <VerdictBadge verdict={verdict} />}
      <span>
        <a href={href("policies")}>
          <Text value={name ?? id} maxLength={80} isFixed />
        </a>
        {conditions.length > 0 && (
          <span class="muted">
            {" "}
            if <Text value={conditions.join(" and ")} maxLength={160} isFixed />
          </span>
        )}
      </span>
    </>
  );
}

const maxRules = 8;
