import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Overview, ToolSummary } from "../../../../packages/biplane/src/admin/overview/overview-api.ts";
import { Button } from "../../components/button.tsx";
import { Snippet } from "../../components/copy.tsx";
import { Select } from "../../components/field.tsx";
import { Card } from "../../components/page.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { useResource } from "../../resource.ts";
import { useIsWide } from "../../use-is-wide.ts";
import { connectSnippets } from "./snippets.ts";

/** Snippets that connect clients to a server. Phones show them on demand, because clients run elsewhere. */
export function Connect({
  overview,
  onDismiss,
}: {
  readonly overview: Overview;
  /** Left out where the instructions cannot be hidden. */
  readonly onDismiss?: () => void;
}): JSX.Element | null {
  const [name, setName] = useState(overview.servers[0]?.name ?? "");
  const [wanted, setWanted] = useState("desktop");
  const isWide = useIsWide(960);
  const [isOpen, setOpen] = useState(false);
  const server = overview.servers.find((each) => each.name === name) ?? overview.servers[0];
  const tools = useResource("/api/tools", { query: { server: server?.name, limit: 50 } });
  if (!server) return null;
  const snippets = connectSnippets(server, overview, exampleTool(tools.data?.tools ?? []));
  const snippet = snippets.find(({ id }) => id === wanted) ?? snippets[0];
  if (!snippet) return null;
  return (
    <Card
      class="connect"
      title="Connect a client"
      actions={
        <>
          {overview.servers.length > 1 && (
            <Select
              label="Server to connect to"
              isLabelHidden
              value={server.name}
              choices={overview.servers.map((each) => ({ value: each.name, title: each.name }))}
              onChange={setName}
            />
          )}
          {onDismiss && (
            <Button kind="quiet" size="small" icon="close" label="Hide these instructions" onClick={onDismiss} />
          )}
        </>
      }
    >
      {isWide || isOpen ? (
        <Tabs label="Connection options" tabs={snippets} current={snippet.id} onChange={setWanted}>
          <div class="stack-tight">
            <p class="muted">{snippet.about}</p>
            <Snippet text={snippet.text} language={snippet.language} label={snippet.title} />
          </div>
        </Tabs>
      ) : (
        <div class="stack-tight">
          <p class="muted">Copy a configuration or a command to the computer on which your agent runs.</p>
          <div>
            <Button onClick={() => setOpen(true)}>Show how</Button>
          </div>
        </div>
      )}
    </Card>
  );
}

/** Prefers a read-only tool, because snippets are often run without reading them. */
function exampleTool(tools: readonly ToolSummary[]): ToolSummary | undefined {
  return tools.find(({ annotations }) => annotations.readOnlyHint === true) ?? tools[0];
}
