import type { JSX } from "preact";
import type { PolicyTest } from "../../../../packages/biplane/src/admin/governance/policy-api.ts";
import { Badge } from "../../components/badge.tsx";
import { Icon } from "../../components/icon.tsx";
import { Json } from "../../components/json.tsx";
import { Card } from "../../components/page.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { PrincipalName } from "../approvals/caller.tsx";
import type { Call } from "./rule-tester.tsx";
import { VerdictBadge } from "./verdict-badge.tsx";

/** How each list of rules decides about one call, rule by rule. */
export function TestResult({ result, call }: { readonly result: PolicyTest; readonly call: Call }): JSX.Element {
  return (
    <>
      <Card
        title={
          <span class="mono">
            <Text value={call.tool} maxLength={60} isFixed />
          </span>
        }
        actions={<VerdictBadge verdict={result.verdict} />}
      >
        <div class="stack-tight">
          <p class="muted">
            Called by <PrincipalName principal={call.principal} />, <Time at={call.at} />
          </p>
          <Json value={result.input} depth={3} />
          <p class="small muted">
            Recorded inputs contain neither secrets nor default values. The scopes of the caller are those that the
            config gives its token.
            {result.isInputCut && " The recorded input is not complete, so conditions on arguments may be wrong."}
          </p>
        </div>
      </Card>
      {result.lists.map(({ source, verdict, rule, reason, steps }) => (
        <Card key={source} title={titles[source] ?? source} actions={<VerdictBadge verdict={verdict} />}>
          <div class="stack-tight">
            {reason !== null && (
              <p>
                “<Text value={reason} maxLength={500} />”
              </p>
            )}
            <ol class="policies-steps">
              {steps.map(({ rule: name, failed }, at) => (
                <li key={at}>
                  <span class={failed.length === 0 ? "text-good" : "muted"}>
                    <Icon name={failed.length === 0 ? "check" : "minus"} size={14} />
                  </span>
                  <div>
                    <span class="strong">
                      <Text value={name} maxLength={80} isFixed />
                    </span>{" "}
                    {failed.length === 0 ? <Badge tone="good">matches</Badge> : <Badge>does not match</Badge>}
                    {failed.map((why) => (
                      <div key={why} class="small muted">
                        <Text value={why} maxLength={300} isFixed />
                      </div>
                    ))}
                  </div>
                </li>
              ))}
            </ol>
            {rule === null && <p class="muted small">No rule matches.</p>}
          </div>
        </Card>
      ))}
    </>
  );
}

const titles: Readonly<Record<string, string>> = {
  config: "Config file",
  published: "Published rules",
  draft: "Draft",
};
