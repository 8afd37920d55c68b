import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Overview, ShownTool } from "../../../../src/desk/contract.ts";
import { Snippet } from "../../components/copy.tsx";
import { Select } from "../../components/field.tsx";
import { Card } from "../../components/page.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { useResource } from "../../resource.ts";
import { waysTo } from "./snippets.ts";

/** How to reach what is served here, ready to be copied. */
export function Connect({ overview }: { readonly overview: Overview }): JSX.Element | null {
  const [name, setName] = useState(overview.servers[0]?.name ?? "");
  const [wanted, setWanted] = useState("desktop");
  const server = overview.servers.find((each) => each.name === name) ?? overview.servers[0];
  const tools = useResource<{ tools: readonly ShownTool[] }>("/api/tools", { server: server?.name, limit: 50 });
  if (!server) return null;
  const ways = waysTo(server, overview, harmless(tools.data?.tools ?? []));
  const way = ways.find(({ id }) => id === wanted) ?? ways[0];
  if (!way) return null;
  return (
    <Card
      title="Connect"
      actions={
        overview.servers.length > 1 && (
          <Select
            label="Server to connect to"
            isLabelHidden
            value={server.name}
            choices={overview.servers.map((each) => ({ value: each.name, title: each.name }))}
            onChange={setName}
          />
        )
      }
    >
      <Tabs label="Ways to connect" tabs={ways} current={way.id} onChange={setWanted}>
        <div class="stack-tight">
          <p class="muted">{way.about}</p>
          <Snippet text={way.text} language={way.language} label={way.title} />
        </div>
      </Tabs>
    </Card>
  );
}

/** What is copied in passing had better change nothing. */
function harmless(tools: readonly ShownTool[]): ShownTool | undefined {
  return tools.find(({ annotations }) => annotations.readOnlyHint === true) ?? tools[0];
}
