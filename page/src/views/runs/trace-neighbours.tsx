import type { JSX } from "preact";
import { LinkButton } from "../../components/button.tsx";
import type { IconName } from "../../components/icon.tsx";
import { useResource } from "../../resource.ts";
import { go, href, pageLocation } from "../../router.ts";
import { useShortcut } from "../../shortcuts.ts";
import { listAddress, listQuery } from "./rollout-query.ts";

/** Leads to the rollouts before and after this one, in the list from which it was opened. */
export function TraceNeighbours({ id, run }: { readonly id: string; readonly run: string }): JSX.Element {
  const { query } = pageLocation.value;
  const { data } = useResource("/api/traces/:id/neighbours", { id, query: listQuery(query) });
  const to = (trace: string) => href("runs", [run, trace], listAddress(query));
  return (
    <span class="trace-neighbours">
      {typeof data?.previous === "string" && (
        <Neighbour title="Previous rollout" shortcut="k" icon="previous" address={to(data.previous)} />
      )}
      {typeof data?.next === "string" && (
        <Neighbour title="Next rollout" shortcut="j" icon="next" address={to(data.next)} />
      )}
    </span>
  );
}

function Neighbour(props: {
  readonly title: string;
  readonly shortcut: string;
  readonly icon: IconName;
  readonly address: string;
}): JSX.Element {
  const { title, shortcut, icon, address } = props;
  useShortcut(shortcut, title, () => go(address));
  return (
    <LinkButton kind="quiet" size="small" icon={icon} label={`${title} (${shortcut})`} href={address}>
      {title}
    </LinkButton>
  );
}
