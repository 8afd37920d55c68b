import type { JSX, RefObject } from "preact";
import type { ShownCall } from "../../../../src/desk/contract.ts";
import { Badge, Outcome } from "../../components/badge.tsx";
import { memo } from "../../components/memo.ts";
import { Text } from "../../components/text.tsx";
import { useDrawn } from "../../components/use-drawn.ts";
import { Duration } from "../../components/time.tsx";
import { clock } from "../../format.ts";
import { house } from "../../house.ts";
import { href } from "../../router.ts";

interface CallRowsProps {
  readonly body: RefObject<HTMLTableSectionElement | null>;
  readonly calls: readonly ShownCall[];
  readonly current: string | undefined;
  readonly query: Readonly<Record<string, string>>;
  readonly onOpen: (id: string) => void;
}

/** Calls as rows. Those that are there already cost nothing when new ones come. */
export function CallRows({ body, calls, current, query, onOpen }: CallRowsProps): JSX.Element {
  const hasSeveral = (house.value?.servers.length ?? 0) > 1;
  const search = JSON.stringify(query);
  const drawn = useDrawn(calls.length);
  return (
    <div class="table-box live-rows">
      <table class="table">
        <caption class="hidden">Calls, the newest first</caption>
        <thead>
          <tr>
            <th scope="col" class="wide-only live-at">
              Time
            </th>
            <th scope="col">Tool</th>
            {hasSeveral && (
              <th scope="col" class="wide-only">
                Server
              </th>
            )}
            <th scope="col" class="wide-only">
              Agent
            </th>
            <th scope="col" class="wide-only live-route">
              Route
            </th>
            <th scope="col" class="live-outcome">
              Outcome
            </th>
            <th scope="col" class="end live-took">
              Took
            </th>
          </tr>
        </thead>
        <tbody
          ref={body}
          onClick={(event) => {
            const row = event.target instanceof Element ? event.target.closest<HTMLElement>("tr") : null;
            const id = row?.dataset["id"];
            if (id !== undefined && getSelection()?.isCollapsed !== false) {
              event.preventDefault();
              onOpen(id);
            }
          }}
        >
          {calls.slice(0, drawn).map((call) => (
            <Row key={call.id} call={call} isCurrent={call.id === current} hasSeveral={hasSeveral} search={search} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface RowProps {
  readonly call: ShownCall;
  readonly isCurrent: boolean;
  readonly hasSeveral: boolean;
  readonly search: string;
}

const Row = memo(({ call, isCurrent, hasSeveral, search }: RowProps) => (
  <tr class="row-open" data-id={call.id} aria-current={isCurrent ? "true" : undefined}>
    <td class="wide-only num muted">{clock(call.at)}</td>
    <td>
      <a class="row-link" href={href("live", [call.id], JSON.parse(search) as Record<string, string>)}>
        <Text value={call.tool} most={80} isFixed />
      </a>
    </td>
    {hasSeveral && (
      <td class="wide-only muted">
        <Text value={call.server} most={60} isFixed />
      </td>
    )}
    <td class="wide-only">
      <Text value={call.agent.agentId} most={60} isFixed />
    </td>
    <td class="wide-only">
      <Badge>{call.route}</Badge>
    </td>
    <td>
      <Outcome value={call.outcome} />
    </td>
    <td class="end">
      <Duration ms={call.durationMs} />
    </td>
  </tr>
));
