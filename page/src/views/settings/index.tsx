import type { JSX } from "preact";
import { Page } from "../../components/page.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { go, href, pageLocation } from "../../router.ts";
import { About } from "./about.tsx";
import { Account } from "./account.tsx";
import { Configuration } from "./configuration.tsx";
import { PeopleList } from "./people-list.tsx";
import "./style.css";

const tabs = [
  { id: "configuration", title: "Configuration" },
  { id: "people", title: "People" },
  { id: "account", title: "Your account" },
  { id: "about", title: "About" },
] as const;

/** The configuration, the people, the user's account, and the server. */
export default function Settings(): JSX.Element {
  const [path] = pageLocation.value.path;
  const current = tabs.find(({ id }) => id === path)?.id ?? "configuration";
  return (
    <Page title="Settings">
      <Tabs label="Settings" tabs={tabs} current={current} onChange={(id) => go(href("settings", [id]))}>
        {current === "configuration" && <Configuration />}
        {current === "people" && <PeopleList />}
        {current === "account" && <Account />}
        {current === "about" && <About />}
      </Tabs>
    </Page>
  );
}
