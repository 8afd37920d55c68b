import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { SecretName } from "../../../../src/admin/secrets/secrets.ts";
import { ask, segment } from "../../api.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Confirm } from "../../components/dialog.tsx";
import { Search } from "../../components/field.tsx";
import { Page } from "../../components/page.tsx";
import { Empty } from "../../components/states.tsx";
import { Table } from "../../components/table.tsx";
import type { Column } from "../../components/table.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { toast } from "../../components/toast.tsx";
import { usePages } from "../../pages.ts";
import { place, setQuery } from "../../router.ts";
import { useFiltered } from "../approvals/use-filtered.ts";
import { MissingSecrets } from "./missing-secrets.tsx";
import { SetSecret } from "./set-secret.tsx";
import { UsedBy } from "./used-by.tsx";
import { useSecretUses } from "./use-secret-uses.ts";
import "./style.css";

/** Secrets go in here and never come out again: what is shown is their names. */
export default function Secrets(): JSX.Element {
  // `?set=NAME` opens the form, for links from where one is missing; empty means: another one.
  const { query = "", set } = place.value.query;
  const [isNew, setNew] = useState(false);
  const [removed, setRemoved] = useState<SecretName>();
  const pages = usePages("/api/secrets", "secrets");
  const list = useFiltered(pages, ({ name }) => name.toLowerCase().includes(query.toLowerCase()));
  const uses = useSecretUses();
  const remove = async ({ name }: SecretName) => {
    await ask(`DELETE /api/secrets/${segment(name)}`);
    toast(`Removed ${name}`);
    setRemoved(undefined);
    pages.reload();
  };
  const close = () => {
    setNew(false);
    setQuery({ set: undefined });
  };
  const actions = { onReplace: (name: string) => setQuery({ set: name }), onRemove: setRemoved };
  return (
    <Page
      title="Secrets"
      about="Values that scripts and packs use and agents never see. They can be set here, not read: no door answers with one."
      actions={
        <Button kind="main" icon="plus" onClick={() => setNew(true)}>
          Set a secret
        </Button>
      }
    >
      <MissingSecrets uses={uses} pages={pages} onSet={actions.onReplace} />
      <div class="toolbar">
        <Search label="Name" value={query} onInput={(text) => setQuery({ query: text })} />
      </div>
      <Table
        label="Secrets"
        list={list}
        keyOf={({ name }) => name}
        columns={columnsFor(uses, actions)}
        empty={
          query === "" ? (
            <Empty title="No secret is set" icon="secrets">
              Set one here, with <code>biplane secrets set NAME</code>, or give it to the server as{" "}
              <code>BIPLANE_SECRET_NAME</code>.
            </Empty>
          ) : (
            <Empty title="No secret is called that" icon="search" />
          )
        }
      />
      {(isNew || (set !== undefined && set !== "")) && (
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
          title="Remove the secret?"
          action="Remove"
          run={() => remove(removed)}
          onClose={() => setRemoved(undefined)}
        >
          What needs <Text value={removed.name} isMono /> fails from now on. Its value cannot be brought back.
        </Confirm>
      )}
    </Page>
  );
}

interface Actions {
  readonly onReplace: (name: string) => void;
  readonly onRemove: (secret: SecretName) => void;
}

function columnsFor(uses: ReadonlyMap<string, readonly string[]>, actions: Actions): readonly Column<SecretName>[] {
  return [
    {
      title: "Name",
      cell: ({ name }) => (
        <span class="mono strong">
          <Text value={name} most={64} isFixed />
        </span>
      ),
    },
    { title: "Used by", cell: ({ name }) => <UsedBy scripts={uses.get(name) ?? []} />, isWide: true },
    {
      title: "From",
      cell: ({ source }) =>
        source === "store" ? (
          <Badge>store</Badge>
        ) : (
          <Badge tone="info" title="Given to the server when it was started; it goes before one in the store">
            environment
          </Badge>
        ),
      width: "8rem",
      isWide: true,
    },
    {
      title: "Set",
      cell: ({ updatedAt }) => (updatedAt === undefined ? <span class="muted">–</span> : <Time at={updatedAt} />),
      width: "6.5rem",
      align: "end",
      isWide: true,
    },
    {
      title: "Change",
      cell: (secret) =>
        secret.source === "environment" ? (
          <span class="muted small">where the server starts</span>
        ) : (
          <span class="secrets-actions">
            <Button size="small" label={`Replace ${secret.name}`} onClick={() => actions.onReplace(secret.name)}>
              Replace
            </Button>
            <Button
              size="small"
              kind="bad"
              icon="trash"
              label={`Remove ${secret.name}`}
              onClick={() => actions.onRemove(secret)}
            />
          </span>
        ),
      width: "9.5rem",
      align: "end",
    },
  ];
}
