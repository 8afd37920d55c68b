import type { JSX } from "preact";
import { mayUse } from "../../access.ts";
import type { ApiResponse } from "../../api.ts";
import { Badge } from "../../components/badge.tsx";
import type { Tone } from "../../components/badge.tsx";
import { Card } from "../../components/page.tsx";
import { Empty, Loaded } from "../../components/states.tsx";
import { Table } from "../../components/table.tsx";
import type { Column } from "../../components/table.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { count } from "../../format.ts";
import { useEvents } from "../../events.ts";
import { useResource } from "../../resource.ts";
import { href } from "../../router.ts";
import { TestTarget } from "./test-target.tsx";

/** Where people are notified about waiting calls, and what became of the last messages. */
export function NotificationList(): JSX.Element {
  const resource = useResource("/api/notifications", {});
  useEvents("approvals", resource.reload);
  return (
    <Loaded resource={resource}>
      {({ targets, deliveries }) =>
        targets.length === 0 ? (
          <Empty title="Nobody is notified yet" icon="bell">
            Add webhooks, or chats of Slack, Discord and Telegram, under <code>notifications</code> in{" "}
            <code>biplane.yaml</code>. Messages can have a link that answers one call from a phone.
          </Empty>
        ) : (
          <div class="stack">
            <Card title="Targets" isFlush>
              <Table
                label="Targets of notifications"
                list={{ items: targets }}
                keyOf={({ name }) => name}
                columns={[...targetColumns, messagesColumn(deliveries), ...(mayUse("approvals") ? [testColumn] : [])]}
                empty={null}
              />
            </Card>
            <Card title="Last messages" isFlush>
              <Table
                label="Last messages"
                list={{ items: deliveries }}
                keyOf={({ id }) => id}
                hrefOf={({ approval }) => href("approvals", [approval])}
                columns={deliveryColumns}
                empty={<Empty title="No messages yet">They appear here when a policy asks about a call.</Empty>}
              />
            </Card>
          </div>
        )
      }
    </Loaded>
  );
}

type Target = ApiResponse<"GET /api/notifications">["targets"][number];
type Delivery = ApiResponse<"GET /api/notifications">["deliveries"][number];

const targetColumns: readonly Column<Target>[] = [
  { title: "Name", cell: ({ name }) => <span class="strong">{name}</span>, width: "min(7.5rem, 45vw)" },
  { title: "Kind", cell: ({ kind }) => <Badge>{kind}</Badge>, width: "6.5rem", isWide: true },
  { title: "Address", cell: ({ address }) => <Text value={address} maxLength={120} isFixed isMono />, isWide: true },
  {
    title: "Answer links",
    cell: ({ hasAnswerLinks }) =>
      hasAnswerLinks ? <Badge tone="accent">one-time</Badge> : <span class="muted">sign in</span>,
    width: "7.5rem",
    isWide: true,
  },
  {
    title: "Person",
    cell: ({ person }) =>
      person === null ? <span class="muted">anyone</span> : <Text value={person} maxLength={40} />,
    width: "7.5rem",
    isWide: true,
  },
];

/** What became of the last messages of each target. */
function messagesColumn(deliveries: readonly Delivery[]): Column<Target> {
  return {
    title: "Last messages",
    cell: ({ name }) => {
      const own = deliveries.filter(({ target }) => target === name);
      const parts = statuses.flatMap((status) => {
        const number = own.filter((delivery) => delivery.status === status).length;
        return number === 0 ? [] : [`${count(number)} ${labels[status]}`];
      });
      return parts.length === 0 ? <span class="muted">none</span> : parts.join(", ");
    },
    width: "10rem",
    isWide: true,
  };
}

const statuses: readonly Delivery["status"][] = ["waiting", "failed", "sent", "dropped"];

const testColumn: Column<Target> = {
  title: "Test",
  cell: ({ name }) => <TestTarget name={name} />,
  width: "8.5rem",
  align: "end",
  isWrapped: true,
};

const deliveryColumns: readonly Column<Delivery>[] = [
  {
    title: "About",
    cell: (delivery) => (
      <>
        {delivery.kind === "answered" && <Badge>answer</Badge>}{" "}
        <Text value={delivery.question ?? delivery.tool ?? delivery.id} maxLength={160} isFixed />
        <DeliveryDetail delivery={delivery} />
      </>
    ),
    isWrapped: true,
  },
  {
    title: "Target",
    cell: ({ target }) => <Text value={target} maxLength={40} isFixed />,
    width: "10rem",
    isWide: true,
  },
  {
    title: "Status",
    cell: ({ status }) => (
      <Badge tone={tones[status]} dot title={titles[status]}>
        {labels[status]}
      </Badge>
    ),
    width: "7.5rem",
  },
  { title: "Attempts", cell: ({ attempts }) => attempts, width: "6rem", align: "end", isWide: true },
  {
    title: "Requested",
    cell: ({ createdAt }) => <Time at={createdAt} />,
    width: "7.5rem",
    align: "end",
    isWide: true,
  },
  {
    title: "Sent",
    cell: ({ sentAt, nextAt }) =>
      sentAt !== null ? <Time at={sentAt} /> : <span class="muted">{nextAt === null ? "–" : "not yet"}</span>,
    width: "min(7.5rem, 21vw)",
    align: "end",
  },
];

function DeliveryDetail({
  delivery: { error, linkUsedAt, nextAt },
}: {
  readonly delivery: Delivery;
}): JSX.Element | null {
  if (linkUsedAt === null && error === null) return null;
  return (
    <span class="small muted block">
      {linkUsedAt !== null && (
        <>
          Answered by link <Time at={linkUsedAt} />.{" "}
        </>
      )}
      {error !== null && <Text value={error} maxLength={160} isFixed />}
      {nextAt !== null && error !== null && (
        <>
          {" "}
          Next attempt <Time at={nextAt} />.
        </>
      )}
    </span>
  );
}

const labels: { readonly [Status in Delivery["status"]]: string } = {
  waiting: "waiting",
  sent: "sent",
  failed: "failed",
  dropped: "not needed",
};

const titles: { readonly [Status in Delivery["status"]]: string } = {
  waiting: "Not sent yet",
  sent: "The target took the message",
  failed: "The target did not take the message",
  dropped: "Not sent, because the call was answered or expired before",
};

const tones: { readonly [Status in Delivery["status"]]: Tone } = {
  waiting: "warn",
  sent: "good",
  failed: "bad",
  dropped: "plain",
};
