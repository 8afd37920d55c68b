import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { SecretName } from "../../../../packages/biplane/src/governance/secrets/secrets.ts";
import { mayUse } from "../../access.ts";
import { callApi } from "../../api.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Snippet } from "../../components/copy.tsx";
import { Confirm } from "../../components/dialog.tsx";
import { Search } from "../../components/field.tsx";
import { Page } from "../../components/page.tsx";
import { Empty } from "../../components/states.tsx";
import { Table } from "../../components/table.tsx";
import type { Column } from "../../components/table.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { day, plural } from "../../format.ts";
import { usePagedList } from "../../paged-list.ts";
import { pageLocation, setQuery } from "../../router.ts";
import { useFiltered } from "../approvals/use-filtered.ts";
import { MissingSecrets } from "./missing-secrets.tsx";
import { SetSecret } from "./set-secret.tsx";
import { UsedBy } from "./used-by.tsx";
import { useSecretUses } from "./use-secret-uses.ts";
import "./style.css";

/** Lists the names of secrets. Values can be set but never read. */
export default function Secrets(): JSX.Element {
  // `?set=NAME` opens the form, for links from missing secrets.
  const { query = "", set } = pageLocation.value.query;
  const [isNew, setNew] = useState(false);
  const [removed, setRemoved] = useState<SecretName>();
  const pages = usePagedList("/api/secrets", "secrets", {});
  const list = useFiltered(pages, ({ name }) => name.toLowerCase().includes(query.toLowerCase()));
  const uses = useSecretUses();
  const close = () => {
    setNew(false);
    setQuery({ set: undefined });
  };
  const mayChange = mayUse("secrets");
  const actions = { onReplace: (name: string) => setQuery({ set: name }), onRemove: setRemoved };
  return (
    <Page
      title="Secrets"
      about="Keys and passwords for scripts and packs of tools. Nobody can read them here, and agents never see them."
      isNarrow
      actions={
        mayChange &&
        pages.items.length > 0 && (
          <Button kind="main" icon="plus" onClick={() => setNew(true)}>
            Set a secret
          </Button>
        )
      }
    >
      <MissingSecrets uses={uses} pages={pages} onSet={mayChange ? actions.onReplace : undefined} />
      {(pages.isLoading || pages.items.length > 0) && (
        <div class="toolbar">
          <Search label="Search name" value={query} onInput={(text) => setQuery({ query: text })} />
        </div>
      )}
      <Table
        label="Secrets"
        list={list}
        keyOf={({ name }) => name}
        columns={[...factColumns(uses, pages.items), mayChange && actionColumn(actions)]}
        empty={
          query === "" ? (
            <Empty
              title="No secrets yet"
              icon="secrets"
              actions={
                mayChange && (
                  <Button kind="main" icon="plus" onClick={() => setNew(true)}>
                    Set a secret
                  </Button>
                )
              }
            >
              <p>Set one here, or in a terminal. This command asks for the value:</p>
              <Snippet text="biplane secrets set CRM_TOKEN" language="shell" label="command" />
            </Empty>
          ) : (
            <Empty title="No matching secrets" icon="search" />
          )
        }
      />
      {mayChange && (isNew || (set !== undefined && set !== "")) && (
        <SetSecret
          name={isNew ? "" : (set ?? "")}
          known={pages.items}
          onDone={() => {
            close();
            pages.reload();
          }}
          onClose={close}
        />
      )}
      {removed && (
        <Confirm
          title="Remove this secret?"
          action="Remove"
          run={() => callApi("DELETE /api/secrets/:name", { name: removed.name })}
          done={`Removed ${removed.name}`}
          onDone={pages.reload}
          onClose={() => setRemoved(undefined)}
        >
          Scripts and packs that need <Text value={removed.name} isMono /> will fail. The value cannot be recovered.
        </Confirm>
      )}
    </Page>
  );
}

/** When the value should be replaced. */
function Rotation({ secret: { updatedAt, rotateDays } }: { readonly secret: SecretName }): JSX.Element {
  if (rotateDays === undefined || updatedAt === undefined) return <span class="muted">–</span>;
  const due = Date.parse(updatedAt) + rotateDays * 86_400_000;
  const title = `Every ${plural(rotateDays, "day")}`;
  if (due <= Date.now())
    return (
      <Badge tone="bad" dot title={title}>
        due
      </Badge>
    );
  if (due - Date.now() < soonMs)
    return (
      <Badge tone="warn" title={title}>
        due in {plural(Math.ceil((due - Date.now()) / 86_400_000), "day")}
      </Badge>
    );
  return (
    <>
      <span title={title}>due {day(new Date(due).toISOString())}</span>
      <span class="muted small block wide-only">every {plural(rotateDays, "day")}</span>
    </>
  );
}

/** For phones: `daily_report`, and below it `not used yet · set 16 Nov · due 14 Feb`. */
function PhoneFacts({ secret, scripts }: { readonly secret: SecretName; readonly scripts: Scripts }): JSX.Element {
  const { updatedAt, rotateDays, source } = secret;
  return (
    <>
      <UsedBy scripts={scripts} />
      <span class="row-facts">
        <LastUse secret={secret} />
        {source === "environment" && <span>set in the environment</span>}
        {updatedAt !== undefined && (
          <span>
            set <Time at={updatedAt} />
          </span>
        )}
        {rotateDays !== undefined && (
          <span>
            <Rotation secret={secret} />
          </span>
        )}
      </span>
    </>
  );
}

function LastUse({ secret: { lastUsedAt } }: { readonly secret: SecretName }): JSX.Element {
  if (lastUsedAt === undefined) return <span class="muted">not used yet</span>;
  return (
    <span>
      used <Time at={lastUsedAt} />
    </span>
  );
}

type Scripts = readonly string[];

const soonMs = 7 * 86_400_000;

interface Actions {
  readonly onReplace: (name: string) => void;
  readonly onRemove: (secret: SecretName) => void;
}

function factColumns(
  uses: ReadonlyMap<string, Scripts>,
  secrets: readonly SecretName[],
): readonly (Column<SecretName> | false)[] {
  const usesOf = ({ name }: SecretName) => uses.get(name) ?? [];
  return [
    {
      title: "Name",
      cell: ({ name }) => <Text value={name} maxLength={64} isFixed isMono class="strong" />,
      under: (secret) => <PhoneFacts secret={secret} scripts={usesOf(secret)} />,
      isWrapped: true,
    },
    {
      title: "Used by",
      cell: (secret) => (
        <>
          <UsedBy scripts={usesOf(secret)} />
          <span class="small block muted">
            <LastUse secret={secret} />
          </span>
        </>
      ),
      isWide: true,
    },
    secrets.some(({ source }) => source === "environment") && {
      title: "Source",
      about: "A secret in the server's environment takes precedence over one in its store",
      cell: ({ source }) => (source === "store" ? "store" : <Badge tone="info">environment</Badge>),
      width: "8rem",
      isWide: true,
    },
    {
      title: "Last set",
      cell: ({ updatedAt }) => (updatedAt === undefined ? <span class="muted">–</span> : <Time at={updatedAt} />),
      width: "8rem",
      isWide: true,
    },
    {
      title: "Rotation",
      about: "When to replace the value",
      cell: (secret) => <Rotation secret={secret} />,
      width: "10rem",
      isWide: true,
    },
  ];
}

function actionColumn(actions: Actions): Column<SecretName> {
  return {
    title: "Actions",
    cell: (secret) =>
      secret.source === "environment" ? (
        <span class="muted small">read-only</span>
      ) : (
        <span class="secrets-actions">
          <Button size="small" label={`Replace ${secret.name}`} onClick={() => actions.onReplace(secret.name)}>
            Replace
          </Button>
          <Button
            size="small"
            kind="quiet"
            icon="trash"
            label={`Remove ${secret.name}`}
            onClick={() => actions.onRemove(secret)}
          />
        </span>
      ),
    width: "9.25rem",
    align: "end",
  };
}
