import type { JSX } from "preact";
import type { SettingsBody } from "../../../../packages/biplane/src/admin/settings/settings-api.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { CopyButton, Snippet } from "../../components/copy.tsx";
import { Search, Segmented } from "../../components/field.tsx";
import { Json } from "../../components/json.tsx";
import { Card } from "../../components/page.tsx";
import { Empty, Loaded } from "../../components/states.tsx";
import { Text } from "../../components/text.tsx";
import { useResource } from "../../resource.ts";
import { pageLocation, setQuery } from "../../router.ts";
import { serverOverview } from "../../server-overview.ts";
import { sectionsOf } from "./sections.ts";
import type { Entry } from "./sections.ts";

/** The effective configuration, with a mark for defaults. Secrets are not shown. */
export function Configuration(): JSX.Element {
  const settings = useResource("/api/settings", {});
  return <Loaded resource={settings}>{(data) => <Shown settings={data} />}</Loaded>;
}

function Shown({ settings: { file, entries } }: { readonly settings: SettingsBody }): JSX.Element {
  const { query = "", configured = "", said = "" } = pageLocation.value.query;
  // `said` is the old name of `configured`; saved links may contain it.
  const isConfiguredOnly = configured === "1" || said === "1";
  const sections = sectionsOf(entries, { query, isConfiguredOnly });
  return (
    <div class="stack">
      <p class="settings-file">
        {file === null ? (
          <span class="muted">No config file. Values are defaults, command-line options or environment variables.</span>
        ) : (
          <>
            <span class="muted">Read from</span>
            <span class="mono">
              <Text value={file} maxLength={300} />
            </span>
            <CopyButton text={file} label="Copy the path" />
          </>
        )}
      </p>
      {entries.length === 0 ? (
        <Empty title="No configuration" icon="settings">
          Start the server with a <code>biplane.yaml</code> to see its values and the defaults here.
          <Snippet text="biplane init && biplane serve" language="shell" label="command" />
        </Empty>
      ) : (
        <>
          <div class="toolbar">
            <Search label="Search key or value" value={query} onInput={(text) => setQuery({ query: text })} />
            <Segmented
              label="Settings to show"
              value={isConfiguredOnly ? "configured" : "all"}
              choices={[
                { value: "all", title: "All" },
                { value: "configured", title: "Changed" },
              ]}
              onChange={(which) => setQuery({ configured: which === "configured" ? "1" : undefined, said: undefined })}
            />
          </div>
          {sections.length === 0 && (
            <Empty title="No matching settings" icon="search">
              <Button
                size="small"
                onClick={() => setQuery({ query: undefined, configured: undefined, said: undefined })}
              >
                Show all settings
              </Button>
            </Empty>
          )}
          {sections.map(({ title, entries: own }) => (
            <Card key={title} title={<Text value={title} maxLength={80} isFixed />}>
              <dl class="settings-entries">
                {own.map((entry) => (
                  <EntryRow key={entry.key} entry={entry} />
                ))}
              </dl>
            </Card>
          ))}
        </>
      )}
    </div>
  );
}

function EntryRow({ entry: { key, value, isDefault, origin } }: { readonly entry: Entry }): JSX.Element {
  return (
    <div>
      <dt class="mono">
        <Text value={key} maxLength={160} isFixed />
      </dt>
      <dd class={isDefault ? "muted" : undefined}>
        <Value value={value} />
        {key === "listen" && <Listening configured={value} />}
      </dd>
      <dd class="settings-mark">
        <OriginBadge origin={origin} />
      </dd>
    </div>
  );
}

/** Where the server listens, if the system chose the port or an option did. */
function Listening({ configured }: { readonly configured: unknown }): JSX.Element | null {
  const url = serverOverview.value?.url;
  if (url === undefined || url === configured) return null;
  return (
    <span class="muted small block">
      now at <Text value={url} maxLength={200} isMono />
    </span>
  );
}

/** Where a value was set. The command line wins over the environment, and that over the file. */
function OriginBadge({ origin }: { readonly origin: Entry["origin"] }): JSX.Element {
  switch (origin.kind) {
    case "file":
      return (
        <Badge tone="accent" title="Set in the config file">
          file, line {origin.line}
        </Badge>
      );
    case "flag":
      return (
        <Badge tone="info" title={`Set on the command line (${origin.name ?? ""}). It wins over the file.`}>
          command line
        </Badge>
      );
    case "environment":
      return (
        <Badge tone="warn" title="Set by this environment variable. It wins over the file.">
          {origin.name}
        </Badge>
      );
    default:
      return <Badge>default</Badge>;
  }
}

function Value({ value }: { readonly value: unknown }): JSX.Element {
  if (value === null || value === undefined) return <span class="muted">not set</span>;
  if (typeof value === "object" && Object.keys(value).length > 0) return <Json value={value} depth={2} />;
  return (
    <span class="mono">
      <Text value={typeof value === "string" ? value : JSON.stringify(value)} maxLength={400} />
    </span>
  );
}
