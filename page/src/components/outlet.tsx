import type { ComponentType, JSX } from "preact";
import { useErrorBoundary, useEffect, useState } from "preact/hooks";
import { href, pageLocation } from "../router.ts";
import { views } from "../views.ts";
import { LinkButton } from "./button.tsx";
import { Page } from "./page.tsx";
import { Empty, Loading, Problem } from "./states.tsx";

/** The current view, loaded on first use. An error in a view does not affect the shell. */
export function Outlet(): JSX.Element {
  // After the setup, its link leads to the overview.
  const route = ["", "setup"].includes(pageLocation.value.view) ? "overview" : pageLocation.value.view;
  const view = views.find((each) => each.route === route);
  if (!view)
    return (
      <Page title="Page not found">
        <Empty title="This page does not exist" icon="info">
          <LinkButton href={href("overview")}>Go to the overview</LinkButton>
        </Empty>
      </Page>
    );
  return <Lazy key={route} route={route} load={() => view.load()} title={view.title} />;
}

type Load = () => Promise<{ readonly default: ComponentType }>;

function Lazy(props: { readonly route: string; readonly title: string; readonly load: Load }): JSX.Element {
  const { load, title, route } = props;
  const [component, setComponent] = useState<{ readonly it: ComponentType } | undefined>(() => loadedViews.get(route));
  const [problem, setProblem] = useState<unknown>();
  const [fault, clearFault] = useErrorBoundary((error) => console.error(error));
  useEffect(() => {
    if (component) return;
    load().then(({ default: it }) => {
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
