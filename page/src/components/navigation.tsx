import type { JSX } from "preact";
import { figures } from "../events.ts";
import { count } from "../format.ts";
import { serverName } from "../server-overview.ts";
import { href } from "../router.ts";
import { overlay } from "../shell-state.ts";
import { allowedViews, startRoute } from "../access.ts";
import type { View } from "../views.ts";
import { waitingScripts } from "../waiting-scripts.ts";
import { Drawer } from "./dialog.tsx";
import { Icon } from "./icon.tsx";
import { Logo } from "./logo.tsx";
import { Text } from "./text.tsx";

/** The sidebar, on wide screens. */
export function Navigation({ current }: { readonly current: string }): JSX.Element {
  const name = serverName.value;
  return (
    <nav class="navigation" aria-label="Views">
      <a class="brand" href={href("overview")}>
        <Logo />
        <span class="brand-text">
          <span class="brand-name">Biplane</span>
          {name !== undefined && (
            <span class="brand-about">
              <Text value={name} maxLength={40} isFixed />
            </span>
          )}
        </span>
      </a>
      <Links current={current} />
    </nav>
  );
}

/** All views, in a drawer on small screens. */
export function NavigationDrawer(props: { readonly current: string; readonly onClose: () => void }): JSX.Element {
  return (
    <Drawer title="Views" width="narrow" onClose={props.onClose}>
      <nav aria-label="All views" onClick={props.onClose}>
        <Links current={props.current} />
      </nav>
    </Drawer>
  );
}

/** The main views, at the bottom of small screens. */
export function BottomBar({ current }: { readonly current: string }): JSX.Element {
  const main = allowedViews().filter(({ isMain }) => isMain);
  const others = allowedViews().filter(({ isMain }) => !isMain);
  const isElsewhere = !main.some(({ route }) => isCurrent(route, current));
  return (
    <nav class="bottom-bar" aria-label="Main views">
      {main.map((view) => (
        <a
          key={view.route}
          class="bottom-link"
          href={href(view.route)}
          aria-current={isCurrent(view.route, current) ? "page" : undefined}
        >
          <span class="bottom-icon">
            <Icon name={view.route} size={20} />
            <Waiting number={waitingFor(view)} />
          </span>
          {view.title.split(" ")[0]}
        </a>
      ))}
      <button
        type="button"
        class={isElsewhere ? "bottom-link bottom-on" : "bottom-link"}
        aria-haspopup="dialog"
        onClick={() => {
          overlay.value = "navigation";
        }}
      >
        <span class="bottom-icon">
          <Icon name="menu" size={20} />
          <Waiting number={others.reduce((sum, view) => sum + waitingFor(view), 0)} />
        </span>
        More
      </button>
    </nav>
  );
}

function Links({ current }: { readonly current: string }): JSX.Element {
  const views = allowedViews();
  const groups = [...new Set(views.map(({ group }) => group))];
  return (
    <>
      {groups.map((group) => (
        <div key={group} class="nav-group">
          {group !== "" && <div class="nav-title">{group}</div>}
          <ul>
            {views
              .filter((view) => view.group === group)
              .map((view) => (
                <li key={view.route}>
                  <a
                    class="nav-link"
                    href={href(view.route)}
                    aria-current={isCurrent(view.route, current) ? "page" : undefined}
                    title={`g ${view.key}`}
                  >
                    <Icon name={view.route} />
                    <span class="grow">{view.title}</span>
                    <Waiting number={waitingFor(view)} />
                  </a>
                </li>
              ))}
          </ul>
        </div>
      ))}
    </>
  );
}

/** The number of waiting calls on Approvals, and of scripts that need approval on Scripts. */
function waitingFor({ route }: View): number {
  if (route === "scripts") return waitingScripts.value;
  return route === "approvals" ? (figures.value?.approvalsWaiting ?? 0) : 0;
}

function Waiting({ number }: { readonly number: number }): JSX.Element | null {
  if (number === 0) return null;
  return (
    <span class="nav-count">
      {count(number)}
      <span class="hidden"> waiting</span>
    </span>
  );
}

function isCurrent(route: string, current: string): boolean {
  return route === (current === "" ? startRoute() : current);
}
