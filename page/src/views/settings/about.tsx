import type { JSX } from "preact";
import { LinkButton } from "../../components/button.tsx";
import { Snippet } from "../../components/copy.tsx";
import { Card, Facts } from "../../components/page.tsx";
import { Loading } from "../../components/states.tsx";
import { Text } from "../../components/text.tsx";
import { Elapsed } from "../../components/time.tsx";
import { count } from "../../format.ts";
import { serverOverview } from "../../server-overview.ts";

/** The server and its API. */
export function About(): JSX.Element {
  const here = serverOverview.value;
  if (!here) return <Loading />;
  const { name, version, mode, startedAt, url, servers } = here;
  return (
    <div class="split">
      <Card title="This server">
        <Facts
          facts={[
            ["Name", <Text value={name} maxLength={120} />],
            ["Biplane version", <Text value={version} maxLength={40} />],
            ["Mode", mode],
            ["Running for", <Elapsed since={startedAt} />],
            ["URL", <Text value={url} maxLength={200} isMono />],
            [
              "MCP servers",
              <ul>
                {servers.slice(0, maxServers).map((server) => (
                  <li key={server.base}>
                    <Text value={server.name} maxLength={80} isFixed />{" "}
                    <Text value={server.version} maxLength={40} isFixed class="muted" />
                  </li>
                ))}
                {servers.length > maxServers && <li class="muted">and {count(servers.length - maxServers)} more</li>}
              </ul>,
            ],
            [
              "Links",
              <span class="row">
                {links.map(([title, path]) => (
                  <a key={path} href={`${project}/${path}`} target="_blank" rel="noreferrer">
                    {title}
                  </a>
                ))}
              </span>,
            ],
          ]}
        />
      </Card>
      <Card title="API" class="settings-api">
        <div class="stack-tight">
          <p>
            Everything that these pages show or change is also available through the admin API, which is described with
            OpenAPI 3.1.
          </p>
          <div>
            <LinkButton href="/api/openapi.json" icon="external">
              OpenAPI document
            </LinkButton>
          </div>
          <Snippet text={`curl -H "Authorization: Bearer $TOKEN" ${url}/api/tools`} language="shell" label="command" />
          <p class="muted">
            Create a token under <a href="#/settings/account">Your account</a>.
          </p>
        </div>
      </Card>
    </div>
  );
}

const maxServers = 20;

const project = "https://github.com/biplane-dev/biplane";
const links = [
  ["Documentation", "tree/main/docs"],
  ["Changes", "blob/main/CHANGELOG.md"],
  ["Licence", "blob/main/LICENSE"],
] as const;
