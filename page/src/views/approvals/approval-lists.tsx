import type { JSX } from "preact";
import { Tabs } from "../../components/tabs.tsx";
import { Badge } from "../../components/badge.tsx";
import { Page } from "../../components/page.tsx";
import { count } from "../../format.ts";
import { go, href, pageLocation } from "../../router.ts";
import { Answered } from "./answered.tsx";
import { Grants } from "./grants.tsx";
import type { Queue } from "./use-queue.ts";
import { WaitingList } from "./waiting-list.tsx";

type Tab = "waiting" | "answered" | "grants";

export function ApprovalLists({ queue }: { readonly queue: Queue }): JSX.Element {
  const { tab = "" } = pageLocation.value.query;
  const current: Tab = tab === "answered" || tab === "grants" ? tab : "waiting";
  const waiting = queue.items.length;
  return (
    <Page
      title="Approvals"
      about={
        <>
          Calls that need approval because a policy returned <code>ask</code>. The agent waits or retries until a person
          answers.
        </>
      }
    >
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
          { id: "grants", title: "Standing approvals" },
        ]}
        onChange={(next) => go(href("approvals", [], { tab: next === "waiting" ? undefined : next }))}
      >
        {current === "waiting" && <WaitingList queue={queue} />}
        {current === "answered" && <Answered />}
        {current === "grants" && <Grants />}
      </Tabs>
    </Page>
  );
}
