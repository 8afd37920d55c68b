import type { ComponentType, JSX } from "preact";
import { useErrorBoundary, useEffect, useState } from "preact/hooks";
import { href, pageLocation } from "../router.ts";
import { mayOpen, scopeOfView, startRoute } from "../access.ts";
import { loadView, views } from "../views.ts";
import type { View } from "../views.ts";
import { LinkButton } from "./button.tsx";
import { Page } from "./page.tsx";
import { Empty, Loading, Problem } from "./states.tsx";

/** The current view, loaded on first use. An error in a view does not affect the shell. */
export function Outlet(): JSX.Element {
  // After the setup, its link leads to the overview.
  const route = ["", "setup", "invite"].includes(pageLocation.value.view) ? startRoute() : pageLocation.value.view;
  const view = views.find((each) => each.route === route);
  if (!view)
    return (
      <Page title="Page not found">
        <Empty title="This page does not exist" icon="info">
          <LinkButton href={href("overview")}>Go to the overview</LinkButton>
        </Empty>
      </Page>
    );
  if (!mayOpen(route)) return <Closed view={view} />;
  return <Lazy key={route} route={route} title={view.title} />;
}

/** A view that the user may not open: calm, because nothing is wrong. */
function Closed({ view }: { readonly view: View }): JSX.Element {
  const start = views.find(({ route }) => route === startRoute());
  return (
    <Page title={view.title}>
      <Empty title={`You do not have access to ${view.title}`} icon={view.route}>
        <p>
          It needs the scope <code>{scopeOfView(view.route)}</code>. An owner can grant it under Settings, People.
        </p>
        {start && <LinkButton href={href(start.route)}>Go to {start.title}</LinkButton>}
      </Empty>
    </Page>
  );
}

function Lazy(props: { readonly route: string; readonly title: string }): JSX.Element {
  const { title, route } = props;
  const [component, setComponent] = useState<{ readonly it: ComponentType } | undefined>(() => loadedViews.get(route));
  const [problem, setProblem] = useState<unknown>();
  const [fault, clearFault] = useErrorBoundary((error) => console.error(error));
  useEffect(() => {
    if (component) return;
    loadView(route).then((it) => {
      loadedViews.set(route, { it });
      setComponent({ it });
    }, setProblem);
  }, []);
  if (fault !== undefined || problem !== undefined)
    return (
      <Page title={title}>
        <Problem error={fault ?? problem} retry={() => (fault === undefined ? location.reload() : clearFault())} />
      </Page>
    );
  if (!component) return <Page title={title} children={<Loading rows={6} />} />;
  const View = component.it;
  return <View />;
}

const loadedViews = new Map<string, { readonly it: ComponentType }>();
