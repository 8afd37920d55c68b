import type { JSX } from "preact";
import type { Settings } from "../../../../src/desk/contract.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { CopyButton, Snippet } from "../../components/copy.tsx";
import { Search, Segmented } from "../../components/field.tsx";
import { Json } from "../../components/json.tsx";
import { Card } from "../../components/page.tsx";
import { Empty, Loaded } from "../../components/states.tsx";
import { Text } from "../../components/text.tsx";
import { useResource } from "../../resource.ts";
import { place, setQuery } from "../../router.ts";
import { sectionsOf } from "./sections.ts";
import type { Entry } from "./sections.ts";

/** What holds, key by key, and whether the file says so or it is the default. Secrets are not shown. */
export function Configuration(): JSX.Element {
  const settings = useResource<Settings>("/api/settings");
  return <Loaded resource={settings}>{(data) => <Shown settings={data} />}</Loaded>;
}

function Shown({ settings: { file, entries } }: { readonly settings: Settings }): JSX.Element {
  const { query = "", said = "" } = place.value.query;
  const sections = sectionsOf(entries, { query, isSaidOnly: said === "1" });
  return (
    <div class="stack">
      <p class="settings-file">
        {file === null ? (
          <span class="muted">No file was read: everything is as it is by default, or as it was started.</span>
        ) : (
          <>
            <span class="muted">Read from</span>
            <span class="mono">
              <Text value={file} most={300} />
            </span>
            <CopyButton text={file} label="Copy the path" />
          </>
        )}
      </p>
      {entries.length === 0 ? (
        <Empty title="There is no configuration to show" icon="settings">
          Start the server with a <code>biplane.yaml</code>, and what it says stands here beside every default.
          <Snippet text="biplane init && biplane serve" language="shell" label="command" />
        </Empty>
      ) : (
        <>
          <div class="toolbar">
            <Search label="Key or value" value={query} onInput={(text) => setQuery({ query: text })} />
            <Segmented
              label="Which settings"
              value={said === "1" ? "said" : "all"}
              choices={[
                { value: "all", title: "All" },
                { value: "said", title: "Set in the file" },
              ]}
              onChange={(which) => setQuery({ said: which === "said" ? "1" : undefined })}
            />
          </div>
          {sections.length === 0 && (
            <Empty title="No setting fits" icon="search">
              <Button size="small" onClick={() => setQuery({ query: undefined, said: undefined })}>
                Show all settings
              </Button>
            </Empty>
          )}
          {sections.map(({ title, entries: own }) => (
            <Card key={title} title={<Text value={title} most={80} isFixed />}>
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

function EntryRow({ entry: { key, value, isDefault } }: { readonly entry: Entry }): JSX.Element {
  return (
    <div>
      <dt class="mono">
        <Text value={key} most={160} isFixed />
      </dt>
      <dd class={isDefault ? "muted" : undefined}>
        <Value value={value} />
      </dd>
      <dd class="settings-mark">{isDefault ? <Badge>default</Badge> : <Badge tone="accent">set</Badge>}</dd>
    </div>
  );
}

function Value({ value }: { readonly value: unknown }): JSX.Element {
  if (value === null || value === undefined) return <span class="muted">not set</span>;
  if (typeof value === "object" && Object.keys(value).length > 0) return <Json value={value} depth={2} />;
  return (
    <span class="mono">
      <Text value={typeof value === "string" ? value : JSON.stringify(value)} most={400} />
    </span>
  );
}
