import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { figures, useEvents, useReconnected } from "../events.ts";
import { loadOverview } from "../server-overview.ts";
import { go, href, pageLocation } from "../router.ts";
import type { Person } from "../session.ts";
import { overlay } from "../shell-state.ts";
import { useShortcut } from "../shortcuts.ts";
import { allowedViews, mayRead, startRoute } from "../access.ts";
import { useWaitingAlerts } from "../waiting-alerts.ts";
import { useWaitingScripts } from "../waiting-scripts.ts";
import { Header } from "./header.tsx";
import { BottomBar, Navigation, NavigationDrawer } from "./navigation.tsx";
import { Palette } from "./palette.tsx";
import { ShortcutsHelp } from "./shortcuts-help.tsx";
import { Outlet } from "./outlet.tsx";

/** The frame around the view: navigation, account and server status. */
export function Shell({ person }: { readonly person: Person }): JSX.Element {
  // `events.ts` stores the figures in a signal. A listener keeps the topic subscribed.
  useEvents("figures", () => undefined);
  useEvents(mayRead("approvals") ? "approvals" : undefined, ({ waiting }) => {
    const last = figures.value;
    if (last) figures.value = { ...last, approvalsWaiting: waiting };
  });
  useWaitingAlerts();
  useWaitingScripts();
  useEffect(() => void loadOverview(), []);
  useReconnected(() => void loadOverview());
  useShortcut("mod+k", "Search everything", () => {
    overlay.value = "palette";
  });
  useShortcut("?", "Show keyboard shortcuts", () => {
    overlay.value = "shortcuts";
  });
  useShortcut("/", "Focus the search field", () => document.querySelector<HTMLElement>("[data-search]")?.focus());
  const close = () => {
    overlay.value = undefined;
  };
  const { view } = pageLocation.value;
  useEffect(() => {
    if (["", "setup", "invite"].includes(view)) history.replaceState(null, "", href(startRoute()));
    document.getElementById("main")?.scrollTo(0, 0);
    close();
  }, [view]);
  return (
    <div class="shell">
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          // The hash holds the current view, so it must not change.
          event.preventDefault();
          document.querySelector<HTMLElement>("h1")?.focus();
        }}
      >
        Skip to content
      </a>
      {allowedViews().map(({ route, title, key }) => (
        <ViewShortcut key={route} route={route} title={title} shortcut={key} />
      ))}
      <Navigation current={view} />
      <Header person={person} />
      <main id="main" class="main">
        <Outlet />
      </main>
      <BottomBar current={view} />
      {overlay.value === "palette" && <Palette onClose={close} />}
      {overlay.value === "shortcuts" && <ShortcutsHelp onClose={close} />}
      {overlay.value === "navigation" && <NavigationDrawer current={view} onClose={close} />}
    </div>
  );
}

function ViewShortcut(props: { readonly route: string; readonly title: string; readonly shortcut: string }): null {
  useShortcut(`g ${props.shortcut}`, `Go to ${props.title}`, () => go(href(props.route)));
  return null;
}
