import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Person } from "../../../../packages/biplane/src/governance/people/person.ts";
import { callApi } from "../../api.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Confirm } from "../../components/dialog.tsx";
import { Search } from "../../components/field.tsx";
import { Empty } from "../../components/states.tsx";
import { Table } from "../../components/table.tsx";
import type { Column } from "../../components/table.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { toast } from "../../components/toast.tsx";
import { usePagedList } from "../../paged-list.ts";
import { pageLocation, setQuery } from "../../router.ts";
import { person } from "../../session.ts";
import { shownText } from "../approvals/shown-text.ts";
import { AddPerson } from "./add-person.tsx";

/** The people who can sign in, and their scopes. */
export function PeopleList(): JSX.Element {
  const { query = "" } = pageLocation.value.query;
  const people = usePagedList("/api/people", "people", {});
  const [isAdding, setAdding] = useState(false);
  const [removed, setRemoved] = useState<Person>();
  const remove = async ({ name }: Person) => {
    await callApi("DELETE /api/people/:name", { name });
    toast(`Removed ${shownText(name)}`);
    setRemoved(undefined);
    people.reload();
  };
  const items = people.items.filter(({ name }) => name.includes(query.toLowerCase()));
  return (
    <div class="stack-tight">
      <div class="toolbar">
        <Search label="Search name" value={query} onInput={(text) => setQuery({ query: text })} />
        <span class="grow" />
        <Button kind="main" icon="plus" onClick={() => setAdding(true)}>
          Add a person
        </Button>
      </div>
      <Table
        label="People"
        list={{ ...people, items }}
        keyOf={({ name }) => name}
        columns={columnsFor(setRemoved)}
        empty={<Empty title="No matching people" icon="person" />}
      />
      {isAdding && (
        <AddPerson
          onDone={() => {
            setAdding(false);
            people.reload();
          }}
          onClose={() => setAdding(false)}
        />
      )}
      {removed && (
        <Confirm
          title="Remove this person?"
          action="Remove"
          run={() => remove(removed)}
          onClose={() => setRemoved(undefined)}
        >
          <Text value={removed.name} isFixed /> can no longer sign in. Open sessions and tokens end immediately.
        </Confirm>
      )}
    </div>
  );
}

function columnsFor(onRemove: (person: Person) => void): readonly Column<Person>[] {
  const me = typeof person.value === "string" ? undefined : person.value.name;
  return [
    {
      title: "Name",
      cell: ({ name }) => (
        <>
          <span class="strong">
            <Text value={name} maxLength={64} isFixed />
          </span>{" "}
          {name === me && <Badge>you</Badge>}
        </>
      ),
      width: "10rem",
    },
    {
      title: "Access",
      cell: ({ scopes }) =>
        scopes.includes("*") ? (
          <Badge tone="accent">all scopes</Badge>
        ) : scopes.length === 0 ? (
          <span class="muted">overview only</span>
        ) : (
          <span class="settings-scopes">
            {scopes.map((scope) => (
              <Badge key={scope}>
                <Text value={scope} maxLength={40} isFixed />
              </Badge>
            ))}
          </span>
        ),
      isWrapped: true,
    },
    { title: "Added", cell: ({ createdAt }) => <Time at={createdAt} />, width: "7rem", align: "end", isWide: true },
    {
      title: "Remove",
      cell: (each) =>
        each.name !== me && (
          <Button
            size="small"
            kind="bad"
            icon="trash"
            label={`Remove ${shownText(each.name)}`}
            onClick={() => onRemove(each)}
          />
        ),
      width: "5.5rem",
      align: "end",
    },
  ];
}
