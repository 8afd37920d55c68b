import type { JSX } from "preact";
import { Tabs } from "../../components/tabs.tsx";
import { Badge } from "../../components/badge.tsx";
import { Page } from "../../components/page.tsx";
import { count } from "../../format.ts";
import { go, href, pageLocation } from "../../router.ts";
import { Answered } from "./answered.tsx";
import { BlockedAlerts, BrowserAlerts } from "./browser-alerts.tsx";
import { Grants } from "./grants.tsx";
import { NotificationList } from "./notification-list.tsx";
import type { Queue } from "./use-queue.ts";
import { WaitingList } from "./waiting-list.tsx";

type Tab = "waiting" | "answered" | "grants" | "notifications";

const about: Readonly<Record<Tab, string>> = {
  waiting: "Calls that need a person's answer, because a rule asks for it. The agent waits or retries until then.",
  answered: "Approved, rejected and expired calls of the last 7 days.",
  grants: "Calls that need no answer, because a person approved them for later, too.",
  notifications: "Who gets messages about waiting calls, and which messages were sent.",
};

const tabIds: readonly string[] = ["answered", "grants", "notifications"] satisfies Tab[];

export function ApprovalLists({ queue }: { readonly queue: Queue }): JSX.Element {
  const { tab = "" } = pageLocation.value.query;
  const current: Tab = tabIds.includes(tab) ? (tab as Tab) : "waiting";
  const waiting = queue.items.length;
  return (
    <Page title="Approvals" actions={<BrowserAlerts />} about={about[current]}>
      <Tabs
        label="Approvals"
        current={current}
        tabs={[
          {
            id: "waiting",
            title: "Waiting",
            aside: waiting > 0 && (
              <Badge tone="warn">
                {count(waiting)}
                {queue.isCut && "+"}
              </Badge>
            ),
          },
          { id: "answered", title: "Answered" },
          { id: "grants", title: "Standing" },
          { id: "notifications", title: "Notifications" },
        ]}
        onChange={(next) => go(href("approvals", [], { tab: next === "waiting" ? undefined : next }))}
      >
        {current === "waiting" && <WaitingList queue={queue} />}
        {current === "answered" && <Answered />}
        {current === "grants" && <Grants />}
        {current === "notifications" && (
          <>
            <NotificationList />
            <BlockedAlerts />
          </>
        )}
      </Tabs>
    </Page>
  );
}
