import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { PolicyVersion } from "../../../../packages/biplane/src/admin/governance/policy-api.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Diff } from "../../components/diff.tsx";
import { Card } from "../../components/page.tsx";
import { Loaded } from "../../components/states.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { useResource } from "../../resource.ts";
import { personName } from "../approvals/person-name.ts";

/** The published versions. An earlier one can be compared with the current one, and loaded into the editor. */
export function VersionList(props: {
  readonly current: PolicyVersion | null;
  readonly onLoad: (version: PolicyVersion) => void;
}): JSX.Element {
  const { current, onLoad } = props;
  const versions = useResource("/api/policies/versions", {});
  const [compared, setCompared] = useState<PolicyVersion>();
  return (
    <Card title="Versions">
      <Loaded resource={versions} rows={3}>
        {({ versions: found }) =>
          found.length === 0 ? (
            <p class="muted">No rules have been published yet.</p>
          ) : (
            <ul class="policies-versions">
              {found.map((each) => {
                const { version, publishedBy, publishedAt, comment } = each;
                const isInForce = version === current?.version;
                return (
                  <li key={version}>
                    <div class="row">
                      <span class="strong num">Version {version}</span>
                      {isInForce && <Badge tone="good">in force</Badge>}
                      <span class="grow" />
                      {!isInForce && (
                        <>
                          <Button
                            size="small"
                            label={`Compare version ${version} with the current one`}
                            onClick={() => setCompared(each)}
                          >
                            Compare
                          </Button>
                          <Button
                            size="small"
                            label={`Open in editor: version ${version}`}
                            onClick={() => onLoad(each)}
                          >
                            Open in editor
                          </Button>
                        </>
                      )}
                    </div>
                    <div class="small muted">
                      <Text value={personName(publishedBy)} maxLength={60} isFixed />, <Time at={publishedAt} isExact />
                    </div>
                    {comment !== null && (
                      <div class="small">
                        <Text value={comment} maxLength={300} />
                      </div>
                    )}
                  </li>
                );
              })}
            </ul>
          )
        }
      </Loaded>
      {compared && current && (
        <Dialog
          title={`From version ${compared.version} to version ${current.version}`}
          width="wide"
          onClose={() => setCompared(undefined)}
        >
          <Diff before={compared.source} after={current.source} label={`Changes since version ${compared.version}`} />
        </Dialog>
      )}
    </Card>
  );
}
