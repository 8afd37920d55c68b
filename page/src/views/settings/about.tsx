import type { JSX } from "preact";
import { LinkButton } from "../../components/button.tsx";
import { Snippet } from "../../components/copy.tsx";
import { Card, Facts } from "../../components/page.tsx";
import { Loading } from "../../components/states.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { plural } from "../../format.ts";
import { house } from "../../house.ts";

/** What runs here, and how programs reach it. */
export function About(): JSX.Element {
  const here = house.value;
  if (!here) return <Loading />;
  const { name, version, mode, startedAt, url, servers } = here;
  return (
    <div class="split">
      <Card title="This server">
        <Facts
          facts={[
            ["Name", <Text value={name} most={120} />],
            ["Version", <Text value={version} most={40} />],
            ["Mode", mode],
            ["Running since", <Time at={startedAt} />],
            ["Address", <Text value={url} most={200} isMono />],
            ["Serves", plural(servers.length, "server")],
          ]}
        />
      </Card>
      <Card title="For programs">
        <div class="stack-tight">
          <p>Everything that this page shows and does goes by an API, described as OpenAPI 3.1.</p>
          <div>
            <LinkButton href="/api/openapi.json" icon="external">
              API document
            </LinkButton>
          </div>
          <Snippet
            text={`curl -s ${url}/api/openapi.json \\
  -H "Authorization: Bearer $TOKEN"`}
            language="shell"
            label="command"
          />
          <p class="muted">
            A token for it is made under <a href="#/settings/account">Your account</a>.
          </p>
        </div>
      </Card>
    </div>
  );
}
