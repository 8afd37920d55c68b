import type { JSX } from "preact";
import type { OpenedScript } from "../../../../src/desk/contract.ts";
import type { SecretName } from "../../../../src/admin/secrets/secrets.ts";
import { Badge } from "../../components/badge.tsx";
import { Card, Facts } from "../../components/page.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { bytes } from "../../format.ts";
import { useResource } from "../../resource.ts";
import { href } from "../../router.ts";
import { ShortHash } from "../approvals/short-hash.tsx";
import { ScriptStatus } from "./script-status.tsx";

/** What one needs to know beside the source. */
export function ScriptSide({ script }: { readonly script: OpenedScript }): JSX.Element {
  const { hash, status, decidedBy, decidedAt, source, secrets } = script;
  return (
    <div class="stack">
      <Card title="As it is now">
        <Facts
          facts={[
            ["Status", <ScriptStatus status={status} />],
            [
              "Decided",
              decidedBy === null ? (
                <span class="muted">not yet</span>
              ) : (
                <>
                  <Text value={decidedBy} most={60} isFixed />
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
          ]}
        />
      </Card>
      <Card title="Secrets it may read">
        {secrets.length === 0 ? <p class="muted">None.</p> : <Needed names={secrets} />}
      </Card>
    </div>
  );
}

function Needed({ names }: { readonly names: readonly string[] }): JSX.Element {
  const { data, error } = useResource<{ readonly secrets: readonly SecretName[] }>("/api/secrets", { limit: 1000 });
  const known = data && new Set(data.secrets.map(({ name }) => name));
  return (
    <ul class="scripts-secrets">
      {names.map((name) => (
        <li key={name}>
          <span class="mono grow">
            <Text value={name} most={64} isFixed />
          </span>
          {known?.has(name) === true && (
            <Badge tone="good" dot>
              set
            </Badge>
          )}
          {known?.has(name) === false && (
            <a href={href("secrets", [], { set: name })}>
              <Badge tone="warn" dot>
                missing
              </Badge>
            </a>
          )}
          {error !== undefined && <Badge title="You may not see which secrets are set">unknown</Badge>}
        </li>
      ))}
    </ul>
  );
}
