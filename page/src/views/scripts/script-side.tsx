import type { JSX } from "preact";
import type { ScriptDetail } from "../../../../packages/biplane/src/admin/scripts/script-api.ts";
import { mayRead } from "../../access.ts";
import { Badge } from "../../components/badge.tsx";
import { Card, Facts } from "../../components/page.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { ViewLink } from "../../components/view-link.tsx";
import { bytes } from "../../format.ts";
import { useResource } from "../../resource.ts";
import { personName } from "../approvals/person-name.ts";
import { ShortHash, shortHash } from "../approvals/short-hash.tsx";

/** The current version of a script, its secrets, and the decisions about all versions. */
export function ScriptSide({ script }: { readonly script: ScriptDetail }): JSX.Element {
  const { name, status, hash, changedAt, decidedBy, decidedAt, source, secrets, history } = script;
  return (
    <div class="stack">
      <Card title="Current version">
        <Facts
          facts={[
            [
              "Decision",
              decidedBy === null ? (
                <span class="muted">none yet</span>
              ) : (
                <DecidedBy verdict={status === "broken" ? "decided" : status} by={decidedBy} at={decidedAt} />
              ),
            ],
            ["File", <Text value={`${name}.star`} maxLength={120} isFixed isMono />],
            changedAt !== null && ["Last changed", <Time at={changedAt} />],
            ["SHA-256", <ShortHash hash={hash} what="hash" />],
            ["Size", bytes(new TextEncoder().encode(source).length)],
            secrets.length === 0 && ["Secrets", "reads none"],
          ]}
        />
      </Card>
      {secrets.length > 0 && (
        <Card title="Secrets that it can read">
          <SecretList names={secrets} />
        </Card>
      )}
      {history.length > 0 && (
        <Card title="Decisions about all versions">
          <ul class="scripts-list">
            {history.map(({ hash: decided, verdict, by, at }) => (
              <li key={`${at} ${verdict} ${decided} ${by}`}>
                <span class="grow">
                  <DecidedBy verdict={verdict} by={by} at={at} />
                </span>
                {decided === hash ? (
                  <Badge>this version</Badge>
                ) : (
                  <span class="mono muted" title={decided}>
                    <Text value={shortHash(decided)} isFixed />…
                  </span>
                )}
              </li>
            ))}
          </ul>
        </Card>
      )}
    </div>
  );
}

/** `approved by ada, 16 Nov`. */
function DecidedBy(props: { readonly verdict: string; readonly by: string; readonly at: string | null }): JSX.Element {
  const { verdict, by, at } = props;
  return (
    <>
      <Text value={verdict} maxLength={20} isFixed class={verdict === "rejected" ? "text-bad" : "text-good"} /> by{" "}
      <Text value={personName(by)} maxLength={60} isFixed />
      {at !== null && (
        <>
          , <Time at={at} />
        </>
      )}
    </>
  );
}

function SecretList({ names }: { readonly names: readonly string[] }): JSX.Element {
  const { data, error } = useResource("/api/secrets", mayRead("secrets") ? { query: { limit: 1000 } } : undefined);
  const known = data && new Set(data.secrets.map(({ name }) => name));
  return (
    <ul class="scripts-list">
      {names.map((name) => (
        <li key={name}>
          <span class="mono grow">
            <Text value={name} maxLength={64} isFixed />
          </span>
          {known?.has(name) === true && (
            <Badge tone="good" dot>
              set
            </Badge>
          )}
          {known?.has(name) === false && (
            <ViewLink route="secrets" query={{ set: name }}>
              <Badge tone="warn" dot>
                missing
              </Badge>
            </ViewLink>
          )}
          {(error !== undefined || !mayRead("secrets")) && (
            <Badge title="You lack permission to see which secrets are set">unknown</Badge>
          )}
        </li>
      ))}
    </ul>
  );
}
