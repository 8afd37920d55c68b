import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Person } from "../../../../packages/biplane/src/governance/people/person.ts";
import { callApi } from "../../api.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Confirm } from "../../components/dialog.tsx";
import { Search } from "../../components/field.tsx";
import { Icon } from "../../components/icon.tsx";
import { Menu } from "../../components/menu.tsx";
import { Card, Facts } from "../../components/page.tsx";
import { Empty } from "../../components/states.tsx";
import { Table } from "../../components/table.tsx";
import type { Column } from "../../components/table.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { usePagedList } from "../../paged-list.ts";
import { useResource } from "../../resource.ts";
import { pageLocation, setQuery } from "../../router.ts";
import { person } from "../../session.ts";
import { shownText } from "../approvals/shown-text.ts";
import { AddPerson } from "./add-person.tsx";
import { EditPerson } from "./edit-person.tsx";
import { OpenInvitations } from "./invitations.tsx";
import { InvitePerson } from "./invite-person.tsx";
import { RoleBadge } from "./role-badge.tsx";
import { roleChoices } from "./scopes.ts";

/** The people who can sign in, and their scopes. */
export function PeopleList(): JSX.Element {
  const { query = "" } = pageLocation.value.query;
  const people = usePagedList("/api/people", "people", {});
  const invitations = useResource("/api/invitations", {});
  const [isAdding, setAdding] = useState(false);
  const [isInviting, setInviting] = useState(false);
  const [edited, setEdited] = useState<Person>();
  const [removed, setRemoved] = useState<Person>();
  const items = people.items.filter(({ name }) => name.includes(query.toLowerCase()));
  return (
    <div class="stack">
      <div class="toolbar">
        <Search label="Search name" value={query} onInput={(text) => setQuery({ query: text })} />
        <span class="grow wide-only" />
        <Button title="For people who cannot be sent a link" onClick={() => setAdding(true)}>
          Add with a passphrase
        </Button>
        <Button kind="main" icon="plus" onClick={() => setInviting(true)}>
          Invite
        </Button>
      </div>
      <div class="stack">
        <Table
          label="People"
          list={{ ...people, items }}
          keyOf={({ name }) => name}
          columns={columnsFor({ onEdit: setEdited, onRemove: setRemoved })}
          empty={<Empty title="No matching people" icon="person" />}
        />
        <OpenInvitations resource={invitations} />
        <Card title="Roles">
          <Facts facts={roleChoices.toReversed().map(({ name, about }) => [name, about])} />
        </Card>
      </div>
      {isInviting && <InvitePerson onDone={invitations.reload} onClose={() => setInviting(false)} />}
      {edited && (
        <EditPerson
          person={edited}
          onDone={() => {
            setEdited(undefined);
            people.reload();
          }}
          onClose={() => setEdited(undefined)}
        />
      )}
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
          run={() => callApi("DELETE /api/people/:name", { name: removed.name })}
          done={`Removed ${shownText(removed.name)}`}
          onDone={people.reload}
          onClose={() => setRemoved(undefined)}
        >
          <Text value={removed.name} isFixed /> can no longer sign in. Open sessions and tokens end immediately.
        </Confirm>
      )}
    </div>
  );
}

interface Actions {
  readonly onEdit: (person: Person) => void;
  readonly onRemove: (person: Person) => void;
}

function columnsFor({ onEdit, onRemove }: Actions): readonly Column<Person>[] {
  const me = typeof person.value === "string" ? undefined : person.value.name;
  return [
    {
      title: "Name",
      cell: ({ name }) => (
        <>
          <Text value={name} maxLength={64} isFixed class="strong" /> {name === me && <Badge>you</Badge>}
        </>
      ),
      under: ({ provider, createdAt }) => (
        <span class="row-facts">
          {provider !== null && (
            <span>
              <SignsInWith provider={provider} />
            </span>
          )}
          <span>
            added <Time at={createdAt} />
          </span>
        </span>
      ),
    },
    {
      title: "Role",
      cell: (each) => <RoleBadge access={each} />,
      isWrapped: true,
    },
    {
      title: "Signs in with",
      cell: ({ provider }) => <SignsInWith provider={provider} />,
      width: "12rem",
      isWide: true,
    },
    // As wide as two columns of the invitations, so that both tables are aligned.
    { title: "Added", cell: ({ createdAt }) => <Time at={createdAt} />, width: "14rem", align: "end", isWide: true },
    {
      title: "Actions",
      cell: (each) =>
        each.name !== me && (
          <Menu
            label={`Actions for ${shownText(each.name)}`}
            class="button button-quiet button-small button-icon"
            items={[
              each.provider === null && { title: "Change access…", icon: "settings", run: () => onEdit(each) },
              { title: "Remove…", icon: "trash", isBad: true, run: () => onRemove(each) },
            ]}
          >
            <Icon name="more" />
          </Menu>
        ),
      width: "7rem",
      align: "end",
    },
  ];
}

function SignsInWith({ provider }: Pick<Person, "provider">): JSX.Element {
  if (provider === null) return <span class="muted">passphrase</span>;
  return <Text value={hostOf(provider)} maxLength={60} isFixed />;
}

/** Issuers are URLs, of which people know the host. */
function hostOf(issuer: string): string {
  return URL.canParse(issuer) ? new URL(issuer).host : issuer;
}
