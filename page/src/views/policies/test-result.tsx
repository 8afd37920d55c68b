import type { JSX } from "preact";
import type { PolicyList, PolicyTest } from "../../../../packages/biplane/src/admin/governance/policy-api.ts";
import { Badge } from "../../components/badge.tsx";
import { Icon } from "../../components/icon.tsx";
import { Json } from "../../components/json.tsx";
import { Card } from "../../components/page.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { PrincipalName } from "../approvals/caller.tsx";
import type { Call } from "./rule-tester.tsx";
import { VerdictBadge } from "./verdict-badge.tsx";

/** How each list of rules decides about one call, rule by rule, and which policies in code are not run. */
export function TestResult(props: {
  readonly result: PolicyTest;
  readonly call: Call;
  readonly lists: readonly PolicyList[];
}): JSX.Element {
  const { result, call, lists } = props;
  const code = lists.filter((list) => isCodeFor(list, call)).flatMap(({ rules }) => rules.map(({ id }) => id));
  return (
    <>
      <Card
        title={<Text value={call.tool} maxLength={60} isFixed isMono />}
        actions={
          code.length === 0 || result.verdict === "deny" ? (
            <VerdictBadge verdict={result.verdict} />
          ) : (
            <Badge dot>{result.verdict}, before code policies</Badge>
          )
        }
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
        <Card
          key={source}
          title={titles[source] ?? source}
          // Rules of the config file have a default verdict. Others leave the decision to the other lists.
          actions={rule === null && source !== "config" ? <Badge>no match</Badge> : <VerdictBadge verdict={verdict} />}
        >
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
                    <Text value={name} maxLength={80} isFixed class="strong" />{" "}
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
            {rule === null && source === "config" && <p class="muted small">No rule matches.</p>}
            {rule === null && source !== "config" && steps.length === 0 && (
              <p class="muted small">There are no rules.</p>
            )}
          </div>
        </Card>
      ))}
      {code.length > 0 && <CodePolicies names={code} />}
    </>
  );
}

/** True for policies in code, of the config or of the server of the call. Only the calls themselves run them. */
function isCodeFor({ source, server, otherwise }: PolicyList, call: Call): boolean {
  return (source === "code" || otherwise === null) && (server === null || server === call.server);
}

function CodePolicies({ names }: { readonly names: readonly string[] }): JSX.Element {
  return (
    <Card title="Code policies" actions={<Badge>not run</Badge>}>
      <div class="stack-tight">
        <ul class="policies-steps">
          {names.map((name, at) => (
            <li key={at}>
              <span class="muted">
                <Icon name="minus" size={14} />
              </span>
              <Text value={name} maxLength={80} isFixed isMono />
            </li>
          ))}
        </ul>
        <p class="muted small">A test runs no code. These policies can still ask about the call, or deny it.</p>
      </div>
    </Card>
  );
}

const titles: Readonly<Record<string, string>> = {
  config: "Config file",
  published: "Published rules",
  draft: "Draft",
};
