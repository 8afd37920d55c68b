import type { JSX } from "preact";
import { mayUse } from "../../access.ts";
import { Page } from "../../components/page.tsx";
import { Loaded } from "../../components/states.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { useResource } from "../../resource.ts";
import { go, href, pageLocation } from "../../router.ts";
import { useReload } from "../../use-reload.ts";
import { PublishedEditor } from "./published-editor.tsx";
import { RuleLists } from "./rule-lists.tsx";
import { RuleTester } from "./rule-tester.tsx";
import "./style.css";

type Tab = "rules" | "test" | "published";

/** Every policy rule, a way to try them, and the rules that live in the store. */
export default function Policies(): JSX.Element {
  const { tab = "" } = pageLocation.value.query;
  // Tests, dry runs and new versions need more than reading.
  const mayChange = mayUse("policies");
  const current: Tab = mayChange && (tab === "test" || tab === "published") ? tab : "rules";
  const policies = useResource("/api/policies", {}, { isCached: true });
  // A version that somebody else publishes must not replace a draft, so only the list loads again.
  useReload(current === "rules" ? policies.reload : undefined, 5000);
  return (
    <Page
      title="Policies"
      about="Rules allow or deny a call, or ask a person. The first matching rule of each list decides, and every list must allow a call."
    >
      <Tabs
        label="Policies"
        current={current}
        tabs={[
          { id: "rules", title: "Rules" },
          ...(mayChange
            ? ([
                { id: "test", title: "Test" },
                { id: "published", title: "Published rules" },
              ] as const)
            : []),
        ]}
        onChange={(next) => go(href("policies", [], { tab: next === "rules" ? undefined : next }))}
      >
        <Loaded resource={policies} rows={8}>
          {({ lists, published }) =>
            current === "rules" ? (
              <RuleLists lists={lists} published={published} />
            ) : current === "test" ? (
              <RuleTester lists={lists} />
            ) : (
              <PublishedEditor key={published?.version ?? 0} published={published} onDone={policies.reload} />
            )
          }
        </Loaded>
      </Tabs>
    </Page>
  );
}
