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
import { ShortHash } from "../approvals/short-hash.tsx";

/** The decision about the current version of a script, and its secrets. */
export function ScriptSide({ script }: { readonly script: ScriptDetail }): JSX.Element {
  const { hash, decidedBy, decidedAt, source, secrets } = script;
  return (
    <div class="stack">
      <Card title="Current version">
        <Facts
          facts={[
            [
              "Decision",
              decidedBy === null ? (
                <span class="muted">none for this version</span>
              ) : (
                <>
                  <Text value={personName(decidedBy)} maxLength={60} isFixed />
                  {decidedAt !== null && (
                    <>
                      , <Time at={decidedAt} />
                    </>
                  )}
                </>
              ),
            ],
            ["SHA-256", <ShortHash hash={hash} what="hash" />],
            ["Size", bytes(new TextEncoder().encode(source).length)],
            secrets.length === 0 && ["Secrets", <span class="muted">none</span>],
          ]}
        />
      </Card>
      {secrets.length > 0 && (
        <Card title="Secrets">
          <SecretList names={secrets} />
        </Card>
      )}
    </div>
  );
}

function SecretList({ names }: { readonly names: readonly string[] }): JSX.Element {
  const { data, error } = useResource("/api/secrets", mayRead("secrets") ? { query: { limit: 1000 } } : undefined);
  const known = data && new Set(data.secrets.map(({ name }) => name));
  return (
    <ul class="scripts-secrets">
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
