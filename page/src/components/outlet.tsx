import type { ComponentType, JSX } from "preact";
import { useErrorBoundary, useEffect, useState } from "preact/hooks";
import { href, place } from "../router.ts";
import { views } from "../views.ts";
import { LinkButton } from "./button.tsx";
import { Page } from "./page.tsx";
import { Empty, Loading, Problem } from "./states.tsx";

/** The current view, loaded when it is first wanted. One that breaks does not take the shell with it. */
export function Outlet(): JSX.Element {
  // Whoever follows the terminal's link a second time is in already.
  const route = ["", "setup"].includes(place.value.view) ? "overview" : place.value.view;
  const view = views.find((each) => each.route === route);
  if (!view)
    return (
      <Page title="Not here">
        <Empty title="There is no such page" icon="info">
          <LinkButton href={href("overview")}>Go to the overview</LinkButton>
        </Empty>
      </Page>
    );
  return <Lazy key={route} route={route} load={() => view.load()} title={view.title} />;
}

type Load = () => Promise<{ readonly default: ComponentType }>;

function Lazy(props: { readonly route: string; readonly title: string; readonly load: Load }): JSX.Element {
  const { load, title, route } = props;
  const [component, setComponent] = useState<{ readonly it: ComponentType } | undefined>(() => kept.get(route));
  const [problem, setProblem] = useState<unknown>();
  const [fault, clearFault] = useErrorBoundary((error) => console.error(error));
  useEffect(() => {
    if (component) return;
    load().then(({ default: it }) => {
      kept.set(route, { it });
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

const kept = new Map<string, { readonly it: ComponentType }>();
