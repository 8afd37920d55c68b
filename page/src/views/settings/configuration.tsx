import type { JSX } from "preact";
import type { SettingsBody } from "../../../../packages/biplane/src/admin/settings/settings-api.ts";
import { Badge } from "../../components/badge.tsx";
import type { Tone } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { CopyButton, Snippet } from "../../components/copy.tsx";
import { Search, Segmented } from "../../components/field.tsx";
import { Card } from "../../components/page.tsx";
import { Empty, Loaded } from "../../components/states.tsx";
import { Text } from "../../components/text.tsx";
import { useResource } from "../../resource.ts";
import { pageLocation, setQuery } from "../../router.ts";
import { AboutSetting, SettingValue } from "./setting-value.tsx";
import { sectionsOf } from "./sections.ts";
import type { Entry } from "./sections.ts";

/** The effective configuration, with a mark for defaults. Secrets are not shown. */
export function Configuration(): JSX.Element {
  const settings = useResource("/api/settings", {});
  return <Loaded resource={settings}>{(data) => <Shown settings={data} />}</Loaded>;
}

function Shown({ settings: { file, entries } }: { readonly settings: SettingsBody }): JSX.Element {
  const { query = "", configured = "", said = "" } = pageLocation.value.query;
  // What was changed comes first, and a search looks everywhere. `said` is the old name of `configured` in saved links.
  const isUsual = query === "" && entries.some(({ isDefault }) => !isDefault);
  const isConfiguredOnly = configured === "1" || said === "1" || (configured === "" && isUsual);
  const sections = sectionsOf(entries, { query, isConfiguredOnly });
  return (
    <div class="stack">
      <p class="settings-file">
        {file === null ? (
          <span class="muted">No config file. Values are defaults, command-line options or environment variables.</span>
        ) : (
          <>
            <span class="muted">Read from</span> <Text value={file} maxLength={300} isMono />{" "}
            <CopyButton text={file} label="Copy the path" />{" "}
            <span class="muted">To change a setting, edit this file and restart the server.</span>
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
              choices={{ configured: "Changed from defaults", all: "All" }}
              onChange={(which) => setQuery({ configured: which === "configured" ? "1" : "0", said: undefined })}
            />
          </div>
          {sections.length === 0 && (
            <Empty title="No matching settings" icon="search">
              <Button size="small" onClick={() => setQuery({ query: undefined, configured: "0", said: undefined })}>
                Show all settings
              </Button>
            </Empty>
          )}
          {sections.length > 0 && (
            <Card isFlush>
              {sections.map(({ title, entries: own }) => (
                <section key={title} class="settings-group">
                  <h2>
                    <Text value={title} maxLength={80} isFixed />
                  </h2>
                  <dl class="settings-entries">
                    {own.map((entry) => (
                      <EntryRow key={entry.key} entry={entry} />
                    ))}
                  </dl>
                </section>
              ))}
            </Card>
          )}
        </>
      )}
    </div>
  );
}

function EntryRow({ entry }: { readonly entry: Entry }): JSX.Element {
  const { key, written, isDefault, origin } = entry;
  return (
    <div>
      <dt>
        <Text value={key} maxLength={160} isFixed isMono />
        <AboutSetting entry={entry} />
      </dt>
      <dd class={isDefault ? "muted" : undefined}>
        <SettingValue entry={entry} />
        {written !== undefined && (
          <span class="muted small block">
            set to <SettingValue entry={{ ...entry, value: written }} />
          </span>
        )}
      </dd>
      <dd class="settings-mark">
        <OriginBadge origin={origin} />
      </dd>
    </div>
  );
}

/** Where a value was set. The command line wins over the environment, and that over the file. */
function OriginBadge({ origin }: { readonly origin: Entry["origin"] }): JSX.Element {
  switch (origin.kind) {
    case "file":
      return (
        <>
          {(origin.references ?? []).map((reference) => (
            <ReferenceBadge key={reference.name} reference={reference} />
          ))}
          <span class="muted small" title="Set in the config file">
            file, line {origin.line}
          </span>
        </>
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
    case "store":
      return (
        <Badge tone="good" title={`Set in the store (${origin.name ?? ""})`}>
          store
        </Badge>
      );
    default:
      return <span class="muted small">default</span>;
  }
}

type Reference = NonNullable<Entry["origin"]["references"]>[number];

/** What the file refers to with `${NAME}`. */
function ReferenceBadge({ reference: { name, from } }: { readonly reference: Reference }): JSX.Element {
  const [tone, title] = referenceLabels[from];
  return (
    <Badge tone={tone} title={title}>
      <Text value={name} maxLength={40} isFixed />
    </Badge>
  );
}

const referenceLabels: { readonly [From in Reference["from"]]: readonly [Tone, string] } = {
  environment: ["warn", "The file refers to this environment variable"],
  store: ["good", "The file refers to this secret of the store"],
  default: ["plain", "The file refers to this variable, which is not set, so its default applies"],
};
