import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Badge } from "../../components/badge.tsx";
import type { Tone } from "../../components/badge.tsx";
import { Segmented } from "../../components/field.tsx";
import { Card } from "../../components/page.tsx";
import { Empty } from "../../components/states.tsx";
import { Table } from "../../components/table.tsx";
import type { Column } from "../../components/table.tsx";
import { Text } from "../../components/text.tsx";
import { Time, Until } from "../../components/time.tsx";
import { moment, plural } from "../../format.ts";
import { href, pageLocation, setQuery } from "../../router.ts";
import { AboutCall } from "./about-call.tsx";
import { groupsOf, isFailing, labelOf, shortReason, titles, worstByTarget } from "./message-groups.ts";
import type { Delivery, MessageGroup } from "./message-groups.ts";

/** The last messages, together for each call that they are about. */
export function NotificationMessages({ deliveries }: { readonly deliveries: readonly Delivery[] }): JSX.Element {
  const isFailedOnly = pageLocation.value.query["messages"] === "failed";
  const [most, setMost] = useState(pageSize);
  const groups = groupsOf(deliveries).filter(({ messages }) => !isFailedOnly || messages.some(isFailing));
  return (
    <Card
      title="Last messages"
      class="notification-messages"
      isFlush
      actions={
        <Segmented
          label="Messages to show"
          value={isFailedOnly ? "failed" : "all"}
          choices={{ all: "All", failed: "Failed" }}
          onChange={(which) => setQuery({ messages: which === "failed" ? which : undefined })}
        />
      }
    >
      <Table
        label="Last messages"
        list={{ items: groups.slice(0, most), hasMore: groups.length > most, more: () => setMost(most + pageSize) }}
        keyOf={({ key }) => key}
        hrefOf={({ approval }) => href("approvals", [approval])}
        columns={columns}
        empty={
          isFailedOnly && deliveries.length > 0 ? (
            <Empty title="No message failed" icon="bell" />
          ) : (
            <Empty title="No messages yet">They appear here when a policy asks about a call.</Empty>
          )
        }
      />
    </Card>
  );
}

const pageSize = 12;

const columns: readonly Column<MessageGroup>[] = [
  {
    title: "About",
    cell: ({ about, preview, ending }) => (
      <>
        <AboutCall question={about} input={preview} maxLength={160} />
        {ending && <span class="row-under wide-only">{endings[ending]}</span>}
      </>
    ),
    under: (group) => (
      <>
        <span class="block">
          requested <Time at={group.requestedAt} />
        </span>
        {group.ending && <span class="block">{endings[group.ending]}</span>}
        <Messages group={group} />
      </>
    ),
    isWrapped: true,
  },
  { title: "Messages", cell: (group) => <Messages group={group} />, width: "48%", isWide: true, isWrapped: true },
  {
    title: "Requested",
    cell: ({ requestedAt }) => <Time at={requestedAt} />,
    width: "6.5rem",
    align: "end",
    isWide: true,
  },
];

const endings = { expired: "Expired without an answer.", unused: "Approved, but not called again in time." } as const;

/** A line for each target. If there was no problem, one for all. */
function Messages({ group: { messages } }: { readonly group: MessageGroup }): JSX.Element {
  const shown = worstByTarget(messages);
  const sent = shown.filter((each) => labelOf(each) === "sent");
  const link = messages.find(({ linkUsedAt }) => linkUsedAt !== null)?.linkUsedAt ?? null;
  const isSmooth = shown.every((each) => labelOf(each) === "sent" || labelOf(each) === "not needed");
  return (
    <ul class="notification-lines">
      {!isSmooth ? (
        shown.map((delivery) => <MessageLine key={delivery.id} delivery={delivery} />)
      ) : (
        <li>
          <span>
            <Badge
              tone={sent.length > 0 ? "good" : "plain"}
              dot
              title={titles[sent.length > 0 ? "sent" : "not needed"]}
            >
              {sent.length > 0 ? "sent" : "not needed"}
            </Badge>
          </span>
          <span class="notification-wide">
            {sent.length > 0 ? (
              <Text value={sent.map(({ target }) => target).join(", ")} maxLength={160} isFixed />
            ) : (
              <span class="muted small">answered before a message was sent</span>
            )}
            {link !== null && (
              <span class="muted small">
                {" "}
                answered by link <Time at={link} />
              </span>
            )}
          </span>
        </li>
      )}
    </ul>
  );
}

function MessageLine({ delivery }: { readonly delivery: Delivery }): JSX.Element {
  const { target, kind, status, attempts, error, linkUsedAt, nextAt, sentAt } = delivery;
  // The reason of a dropped message repeats its status.
  const reason = status === "dropped" || error === null ? undefined : shortReason(error);
  const about = kind === "answered" ? "answer" : "question";
  const parts = [
    ...(reason === undefined ? [] : [`${about}: ${reason}`]),
    ...(nextAt === null && attempts > (isFailing(delivery) ? 0 : 1) ? [plural(attempts, "attempt")] : []),
  ];
  return (
    <li>
      <span>
        <Badge
          tone={tones[status]}
          dot
          title={`${titles[labelOf(delivery)]}${sentAt === null ? "" : `, ${moment(sentAt)}`}`}
        >
          {labelOf(delivery)}
        </Badge>
      </span>
      <span class="notification-target">
        <Text value={target} maxLength={40} isFixed />{" "}
        <span class="muted small" title={error ?? undefined}>
          <Text value={parts.join(", ")} maxLength={160} isFixed />
          {nextAt !== null && error !== null && (
            <>
              , attempt {attempts + 1} <Until at={nextAt} />
            </>
          )}
          {linkUsedAt !== null && (
            <>
              {parts.length > 0 && ", "}answered by link <Time at={linkUsedAt} />
            </>
          )}
        </span>
      </span>
    </li>
  );
}

const tones: { readonly [Status in Delivery["status"]]: Tone } = {
  waiting: "warn",
  sent: "good",
  failed: "bad",
  dropped: "plain",
};
