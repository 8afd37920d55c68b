import type { JSX } from "preact";
import { callApi } from "../api.ts";
import { figures, liveState } from "../events.ts";
import { plural } from "../format.ts";
import { serverName, serverOverview } from "../server-overview.ts";
import { go, href, pageLocation } from "../router.ts";
import { mayRead } from "../access.ts";
import { clearSession } from "../session.ts";
import type { Person } from "../session.ts";
import { overlay } from "../shell-state.ts";
import { Badge } from "./badge.tsx";
import { Button } from "./button.tsx";
import { sumOf } from "./failure-counts.ts";
import { Icon } from "./icon.tsx";
import { Logo } from "./logo.tsx";
import { Menu } from "./menu.tsx";
import { Keys } from "./shortcuts-help.tsx";
import { Text } from "./text.tsx";
import { ThemeMenu } from "./theme-menu.tsx";
import { toastProblem } from "./toast.tsx";

export function Header({ person }: { readonly person: Person }): JSX.Element {
  const waiting = figures.value?.approvalsWaiting ?? 0;
  const mode = serverOverview.value?.mode;
  return (
    <header class="header">
      <div class="header-row">
        <a class="header-logo" href={href("overview")} aria-label="Overview">
          <Logo size={26} />
        </a>
        <span class="header-name">
          <Text value={serverName.value ?? "Biplane"} maxLength={60} isFixed />
        </span>
        {mode !== undefined && (
          <Badge tone={mode === "production" ? "accent" : "plain"} title={modeTitles[mode]}>
            <span>
              {mode}
              <span class="wide-only"> mode</span>
            </span>
          </Badge>
        )}
        <LiveState />
        <span class="grow" />
        {waiting > 0 && mayRead("approvals") && pageLocation.value.view !== "approvals" && (
          <a class="badge badge-warn header-waiting" href={href("approvals")}>
            <Icon name="approvals" size={14} /> {plural(waiting, "approval")} waiting
          </a>
        )}
        <button
          type="button"
          class="palette-button"
          title="Search everything"
          onClick={() => {
            overlay.value = "palette";
          }}
        >
          <Icon name="search" />
          <span class="palette-label">Search…</span>
          <Keys keys="mod+K" />
        </button>
        <span class="header-help">
          <Button
            kind="quiet"
            icon="keyboard"
            label="Keyboard shortcuts"
            onClick={() => {
              overlay.value = "shortcuts";
            }}
          />
        </span>
        <ThemeMenu />
        <PersonMenu name={person.name} />
      </div>
    </header>
  );
}

const modeTitles = {
  simulation: "Simulation: trainer endpoints are enabled",
  production: "Production: trainer endpoints are disabled, and a policy is required",
};

function LiveState(): JSX.Element {
  const state = liveState.value;
  const calls = sumOf(figures.value?.minute ?? [], (second) => second.calls);
  return (
    <span class={`live-state live-${state}`} title={liveTitles[state]}>
      <span class="dot" aria-hidden="true" />
      <span role="status">{state === "live" ? "connected" : state}</span>
      {state === "live" && calls > 0 && (
        <span class="num live-rate" title="In the last minute">
          · {plural(calls, "call")}/min
        </span>
      )}
    </span>
  );
}

const liveTitles = {
  connecting: "Connecting to the server",
  live: "Receiving live updates",
  reconnecting: "Connection lost. Reconnecting.",
  paused: "Paused while this tab is hidden",
};

function PersonMenu({ name }: { readonly name: string }): JSX.Element {
  const signOut = () => void callApi("DELETE /api/session").then(clearSession, toastProblem);
  return (
    <Menu
      label={`Signed in as ${name}`}
      class="person"
      items={[
        { title: "Settings", icon: "settings", run: () => go(href("settings")) },
        { title: "Sign out", icon: "logout", run: signOut },
      ]}
    >
      <span class="person-letter" data-letter={Array.from(name)[0]?.toUpperCase()} aria-hidden="true" />
      <span class="person-name">{name}</span>
    </Menu>
  );
}
