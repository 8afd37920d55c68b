import type { JSX } from "preact";
import { mayUse } from "../../access.ts";
import type { ApiResponse } from "../../api.ts";
import { Badge } from "../../components/badge.tsx";
import { Card } from "../../components/page.tsx";
import { Loaded } from "../../components/states.tsx";
import { Table } from "../../components/table.tsx";
import type { Column } from "../../components/table.tsx";
import { Text } from "../../components/text.tsx";
import { count } from "../../format.ts";
import { useEvents } from "../../events.ts";
import { useResource } from "../../resource.ts";
import { FailingBanner, FailingTarget } from "./failing-target.tsx";
import { groupsOf, labelOf, worstByTarget } from "./message-groups.ts";
import type { Delivery } from "./message-groups.ts";
import { NoTargets } from "./no-targets.tsx";
import { NotificationMessages } from "./notification-messages.tsx";
import { TestTarget } from "./test-target.tsx";

/** Where people are notified about waiting calls, and what became of the last messages. */
export function NotificationList(): JSX.Element {
  const resource = useResource("/api/notifications", {});
  useEvents("approvals", resource.reload);
  return (
    <Loaded resource={resource}>
      {({ targets, deliveries }) =>
        targets.length === 0 ? (
          <NoTargets />
        ) : (
          <div class="stack">
            {targets.map(({ name }) => (
              <FailingBanner key={name} name={name} deliveries={deliveries} />
            ))}
            <Card title="Targets" isFlush>
              <Table
                label="Targets of notifications"
                list={{ items: targets }}
                keyOf={({ name }) => name}
                columns={[
                  nameColumn(deliveries),
                  ...targetColumns,
                  messagesColumn(deliveries),
                  ...(mayUse("approvals") ? [testColumn] : []),
                ]}
              />
            </Card>
            <NotificationMessages deliveries={deliveries} />
          </div>
        )
      }
    </Loaded>
  );
}

type Target = ApiResponse<"GET /api/notifications">["targets"][number];

/** On a phone, also where it sends, and what became of the last messages. */
function nameColumn(deliveries: readonly Delivery[]): Column<Target> {
  return {
    title: "Name",
    cell: ({ name }) => <span class="strong">{name}</span>,
    under: ({ name, kind, address }) => (
      <>
        <FailingTarget name={name} deliveries={deliveries} />
        <span class="block">
          {kind}, {countsOf(name, deliveries)}
        </span>
        <Text value={address} maxLength={120} isMono />
      </>
    ),
    width: "min(9rem, 55vw)",
    isWrapped: true,
  };
}

const targetColumns: readonly Column<Target>[] = [
  { title: "Kind", cell: ({ kind }) => <Badge>{kind}</Badge>, width: "6rem", isWide: true },
  {
    title: "Address",
    cell: ({ address }) => <Text value={address} maxLength={120} isFixed isMono />,
    isWide: true,
    isWrapped: true,
  },
  {
    title: "Answer links",
    about: "Whether the link in a message answers its call once, or leads to this page",
    cell: ({ hasAnswerLinks }) => (hasAnswerLinks ? "one-time" : "sign in"),
    width: "6.5rem",
    isWide: true,
  },
  {
    title: "Person",
    about: "Who answers with the links",
    cell: ({ person }) => (person === null ? "anyone" : <Text value={person} maxLength={40} />),
    width: "6rem",
    isWide: true,
  },
];

/** What became of the last messages of each target. */
function messagesColumn(deliveries: readonly Delivery[]): Column<Target> {
  return {
    title: "Last messages",
    cell: ({ name }) => (
      <>
        <FailingTarget name={name} deliveries={deliveries} />
        <span class="muted">{countsOf(name, deliveries)}</span>
      </>
    ),
    width: "14.5rem",
    isWide: true,
    isWrapped: true,
  };
}

/** `9 failed, 4 retrying`: a message for each call, as in the list below. */
function countsOf(name: string, deliveries: readonly Delivery[]): string {
  const shown = groupsOf(deliveries).flatMap(({ messages }) => worstByTarget(messages));
  const own = shown.filter(({ target }) => target === name).map(labelOf);
  const parts = counted.flatMap((label) => {
    const number = own.filter((each) => each === label).length;
    return number === 0 ? [] : [`${count(number)} ${label}`];
  });
  return parts.length === 0 ? "no messages" : parts.join(", ");
}

/** Messages that were not needed are no news. */
const counted = ["sent", "failed", "retrying", "waiting", "not sent"] as const;

const testColumn: Column<Target> = {
  title: "Test",
  cell: ({ name }) => <TestTarget name={name} />,
  width: "7rem",
  align: "end",
  isWrapped: true,
};
