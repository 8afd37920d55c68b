import type { JSX, RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { CallSummary } from "../../../../packages/biplane/src/admin/calls/call-api.ts";
import { pageName } from "../../../../packages/biplane/src/admin/calls/call-agent.ts";
import { Badge, Outcome } from "../../components/badge.tsx";
import { inputValues } from "../../components/input-values.ts";
import { memo } from "../../components/memo.ts";
import { Text } from "../../components/text.tsx";
import { useProgressiveCount } from "../../components/use-progressive-count.ts";
import { CallDuration } from "../../components/time.tsx";
import { clock, day, moment } from "../../format.ts";
import { serverOverview } from "../../server-overview.ts";
import { preload } from "../../resource.ts";
import { href } from "../../router.ts";
import { useIsWide } from "../../use-is-wide.ts";

interface CallRowsProps {
  readonly body: RefObject<HTMLTableSectionElement | null>;
  readonly calls: readonly CallSummary[];
  readonly current: string | undefined;
  readonly query: Readonly<Record<string, string>>;
  /** A call is open beside the list, which leaves no room for a column of inputs. */
  readonly isBesideCall: boolean;
  readonly onOpen: (id: string) => void;
}

/** Calls as rows. Existing rows do not re-render when new ones arrive. */
export function CallRows({ body, calls, current, query, isBesideCall, onOpen }: CallRowsProps): JSX.Element {
  const hasSeveral = (serverOverview.value?.servers.length ?? 0) > 1;
  const search = JSON.stringify(query);
  const drawn = useProgressiveCount(calls.length);
  const pressed = useRef<string>(undefined);
  const hasTimeColumn = useIsWide(960);
  const hasInputColumn = useIsWide(1200) && !isBesideCall;
  // A call opened by a link, or by the keys that go to the next one, may be out of sight.
  const isDrawn = calls.slice(0, drawn).some(({ id }) => id === current);
  useEffect(() => {
    if (isDrawn) body.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  }, [current, isDrawn]);
  return (
    <div class="table-box live-rows">
      <table class="table">
        <caption class="hidden">Calls, newest first</caption>
        <thead>
          <tr>
            {headings.map(
              ([title, own]) =>
                (hasSeveral || title !== "Server") && (
                  <th key={title} scope="col" class={own}>
                    {title}
                  </th>
                ),
            )}
          </tr>
        </thead>
        <tbody
          ref={body}
          onPointerDown={(event) => {
            pressed.current = event.button === 0 ? rowId(event) : undefined;
            // The details arrive while the button is still pressed.
            if (pressed.current !== undefined) preload("/api/calls/:id", { id: pressed.current });
          }}
          onClick={(event) => {
            // New calls may have moved the row away from under the pointer.
            const id = pressed.current ?? rowId(event);
            pressed.current = undefined;
            if (id !== undefined && getSelection()?.isCollapsed !== false) {
              event.preventDefault();
              onOpen(id);
            }
          }}
        >
          {calls.slice(0, drawn).map((call) => (
            <Row
              key={call.id}
              call={call}
              isCurrent={call.id === current}
              hasSeveral={hasSeveral}
              hasInputColumn={hasInputColumn}
              hasTimeColumn={hasTimeColumn}
              search={search}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

const headings = [
  ["Time", "wide-only live-at"],
  ["Tool", "live-tool-column"],
  ["Input", "wide-only live-less live-input"],
  ["Server", "roomy-only live-less live-server"],
  ["Agent", "wide-only live-less live-agent"],
  ["Route", "roomy-only live-less live-route"],
  ["Outcome", "live-outcome"],
  ["Run time", "wide-only end live-duration"],
] as const;

function rowId({ target }: Event): string | undefined {
  const row = target instanceof Element ? target.closest<HTMLElement>("tr") : null;
  return row?.dataset["id"];
}

/** The time of day, by default with milliseconds; of another day, its date and the minute. */
function timeOf(at: string, length = 12): string {
  const date = day(at);
  const isToday = date === day(new Date().toISOString());
  return isToday ? clock(at).slice(0, length) : `${date}, ${clock(at).slice(0, 5)}`;
}

/** The agent, or the person who called on the page. */
function callerName({ agent, principal }: CallSummary): string {
  return agent.agentId === pageName && principal.kind === "person" ? `${principal.id} (${pageName})` : agent.agentId;
}

interface RowProps {
  readonly call: CallSummary;
  readonly isCurrent: boolean;
  readonly hasSeveral: boolean;
  /** What has no column is on a second line. */
  readonly hasInputColumn: boolean;
  readonly hasTimeColumn: boolean;
  readonly search: string;
}

const Row = memo(({ call, isCurrent, hasSeveral, hasInputColumn, hasTimeColumn, search }: RowProps) => (
  <tr class="row-open" data-id={call.id} aria-current={isCurrent ? "true" : undefined}>
    <td class="wide-only num muted" title={moment(call.at)}>
      {timeOf(call.at)}
    </td>
    <td title={hasSeveral ? `Server ${call.server}` : undefined}>
      <a class="row-link" href={href("live", [call.id], JSON.parse(search) as Record<string, string>)}>
        <Text value={call.tool} isMono maxLength={80} isFixed />
      </a>
      {!hasInputColumn && (
        <span class="row-under">
          <span class="phone-only">
            <Text value={callerName(call)} maxLength={40} isFixed />
            {inputValues(call.preview) !== "" && " · "}
          </span>
          <Text value={inputValues(call.preview)} maxLength={120} isFixed />
        </span>
      )}
    </td>
    <td class="wide-only live-less live-input muted">
      <Text value={inputValues(call.preview)} maxLength={160} isFixed />
    </td>
    {hasSeveral && (
      <td class="roomy-only live-less muted">
        <Text value={call.server} maxLength={60} isFixed />
      </td>
    )}
    <td class="wide-only live-less live-agent">
      <Text value={callerName(call)} maxLength={60} isFixed />
    </td>
    <td class="roomy-only live-less">
      <Badge>{call.route}</Badge>
    </td>
    <td>
      <Outcome value={call.outcome} />
      {!hasTimeColumn && (
        <span class="row-under num">
          <CallDuration call={call} /> · <time dateTime={call.at}>{timeOf(call.at, 8)}</time>
        </span>
      )}
    </td>
    <td class="wide-only end">
      <CallDuration call={call} />
    </td>
  </tr>
));
