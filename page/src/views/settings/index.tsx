import type { JSX } from "preact";
import { Page } from "../../components/page.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { go, href, pageLocation } from "../../router.ts";
import { mayRead } from "../../access.ts";
import { About } from "./about.tsx";
import { AccessTokens } from "./access-tokens.tsx";
import { Account } from "./account.tsx";
import { Configuration } from "./configuration.tsx";
import { PeopleList } from "./people-list.tsx";
import "./style.css";

const allTabs = [
  { id: "configuration", title: "Configuration", scope: "settings" },
  { id: "people", title: "People", scope: "people" },
  { id: "tokens", title: "Agents and trainers", scope: "tokens" },
  { id: "account", title: "Your account", scope: undefined },
  { id: "about", title: "About", scope: undefined },
] as const;

/** The configuration, the people, the user's account, and the server. */
export default function Settings(): JSX.Element {
  const [path] = pageLocation.value.path;
  const tabs = allTabs.filter(({ scope }) => scope === undefined || mayRead(scope));
  const current = tabs.find(({ id }) => id === path)?.id ?? tabs[0]?.id ?? "account";
  return (
    <Page title="Settings" isNarrow>
      <Tabs label="Settings" tabs={tabs} current={current} onChange={(id) => go(href("settings", [id]))}>
        {current === "configuration" && <Configuration />}
        {current === "people" && <PeopleList />}
        {current === "tokens" && <AccessTokens />}
        {current === "account" && <Account />}
        {current === "about" && <About />}
      </Tabs>
    </Page>
  );
}
