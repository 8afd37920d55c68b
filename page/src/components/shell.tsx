import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { figures, useEvents, useReconnected } from "../events.ts";
import { loadHouse } from "../house.ts";
import { go, href, place } from "../router.ts";
import type { Person } from "../session.ts";
import { overlay } from "../shell-state.ts";
import { useShortcut } from "../shortcuts.ts";
import { views } from "../views.ts";
import { Header } from "./header.tsx";
import { BottomBar, Navigation, NavigationDrawer } from "./navigation.tsx";
import { Palette } from "./palette.tsx";
import { ShortcutsHelp } from "./shortcuts-help.tsx";
import { Outlet } from "./outlet.tsx";

/** Everything around the view: where one can go, who one is, and how the server does. */
export function Shell({ person }: { readonly person: Person }): JSX.Element {
  // The figures are kept in a signal; it is enough that somebody listens.
  useEvents("figures", () => undefined);
  useEvents("approvals", ({ waiting }) => {
    const last = figures.value;
    if (last) figures.value = { ...last, approvalsWaiting: waiting };
  });
  useEffect(() => void loadHouse(), []);
  useReconnected(() => void loadHouse());
  useShortcut("mod+k", "Go to a view or a tool", () => {
    overlay.value = "palette";
  });
  useShortcut("?", "This help", () => {
    overlay.value = "shortcuts";
  });
  useShortcut("/", "Search or filter", () => document.querySelector<HTMLElement>("[data-search]")?.focus());
  const close = () => {
    overlay.value = undefined;
  };
  const { view } = place.value;
  useEffect(() => {
    if (view === "" || view === "setup") history.replaceState(null, "", href("overview"));
    document.getElementById("main")?.scrollTo(0, 0);
    close();
  }, [view]);
  return (
    <div class="shell">
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          // The hash is the address of the view: it must not change.
          event.preventDefault();
          document.querySelector<HTMLElement>("h1")?.focus();
        }}
      >
        Skip to the content
      </a>
      {views.map(({ route, title, key }) => (
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
