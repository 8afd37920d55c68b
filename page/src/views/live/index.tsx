import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { Badge } from "../../components/badge.tsx";
import { mayOpen } from "../../access.ts";
import { Button, LinkButton } from "../../components/button.tsx";
import { ConnectLink } from "../../components/connect-link.tsx";
import { Page } from "../../components/page.tsx";
import { Empty, Loading, Problem } from "../../components/states.tsx";
import { count, plural } from "../../format.ts";
import { go, href, pageLocation } from "../../router.ts";
import { useShortcut } from "../../shortcuts.ts";
import { CallDrawer } from "./call-drawer.tsx";
import { CallRows } from "./call-rows.tsx";
import { Filters, filterOf } from "./filters.tsx";
import { CallRates } from "./call-rates.tsx";
import { SavedFilters } from "./saved-filters.tsx";
import { ExportCalls } from "./export-calls.tsx";
import { useIsWide } from "../../use-is-wide.ts";
import { useFeed } from "./use-feed.ts";
import type { Feed } from "./use-feed.ts";
import "./style.css";

/** Calls as they happen, and one call in detail: `#/live/<id>`. */
export default function Live(): JSX.Element {
  const { path, query } = pageLocation.value;
  const [opened] = path;
  const filter = filterOf(query);
  const feed = useFeed(filter, opened !== undefined);
  const isWide = useIsWide(1180);
  const isBesideCall = opened !== undefined && isWide;
  const rows = useRef<HTMLTableSectionElement>(null);
  useShortcut(" ", feed.isPaused ? "Resume live calls" : "Pause live calls", () => feed.pause(!feed.isPaused));
  // While a call is open, the same keys open the calls beside it.
  const move = (by: 1 | -1) => opened === undefined && step(rows.current, by);
  useShortcut("j", "Next call", () => move(1));
  useShortcut("k", "Previous call", () => move(-1));
  const open = (id: string | undefined) => go(href("live", id === undefined ? [] : [id], query));
  const isFiltered = Object.values(filter).some((value) => value !== "");
  const hasNone = feed.calls.length === 0 && !feed.isLoading && feed.error === undefined;
  // Nothing to filter, export or pause.
  const isEmpty = hasNone && !isFiltered && !feed.isPaused;
  return (
    <Page
      title="Live calls"
      about="Every call over MCP, REST and all other protocols, at the moment it ends."
      aside={feed.isPaused && <Badge tone="warn">paused</Badge>}
      actions={
        isEmpty ? undefined : (
          <>
            <SavedFilters filter={filter} />
            <ExportCalls filter={filter} />
            <Button icon={feed.isPaused ? "play" : "pause"} onClick={() => feed.pause(!feed.isPaused)}>
              {feed.isPaused ? "Resume" : "Pause"}
            </Button>
          </>
        )
      }
    >
      {!isEmpty && (
        <>
          <CallRates />
          <Filters filter={filter} />
        </>
      )}
      {feed.error !== undefined && <Problem error={feed.error} retry={feed.reload} />}
      <Missed feed={feed} />
      <div class={isBesideCall ? "live-split" : undefined}>
        <div class="stack-tight">
          {feed.calls.length > 0 && (
            <CallRows
              body={rows}
              calls={feed.calls}
              current={opened}
              query={query}
              isBesideCall={isBesideCall}
              onOpen={open}
            />
          )}
          {feed.calls.length === 0 && feed.isLoading && <Loading rows={8} />}
          {hasNone && (
            <div class="table-box">
              <Nothing isFiltered={isFiltered} />
            </div>
          )}
          {feed.calls.length > 0 && (
            <div class="row live-foot">
              {feed.hasMore && (
                <Button size="small" isBusy={feed.isLoadingMore} onClick={feed.more}>
                  Load older calls
                </Button>
              )}
              <p class="muted small live-keys">
                <kbd>space</kbd> pauses, <kbd>j</kbd> <kbd>k</kbd> move, <kbd>↵</kbd> opens
              </p>
            </div>
          )}
        </div>
        {opened !== undefined && (
          <CallDrawer
            id={opened}
            isBeside={isWide}
            known={feed.calls.find(({ id }) => id === opened)}
            onClose={() => open(undefined)}
            onMove={(by) => {
              const at = feed.calls.findIndex(({ id }) => id === opened);
              const next = feed.calls[at + by];
              if (next && at >= 0) open(next.id);
            }}
          />
        )}
      </div>
    </Page>
  );
}

/** How many calls are not in the list, and why. */
function Missed({ feed }: { readonly feed: Feed }): JSX.Element | null {
  if (feed.isPaused && feed.missed > 0)
    return (
      <div class="live-note" role="status">
        <span class="grow">{plural(feed.missed, "call")} since the pause.</span>
        <Button size="small" icon="play" onClick={() => feed.pause(false)}>
          Show
        </Button>
      </div>
    );
  if (feed.skipped === 0) return null;
  return (
    <div class="live-note">
      <span class="grow">
        The call rate is high, so this is a sample. <span class="num">{count(feed.skipped)}</span> calls are not shown.
        Add a filter to see more of the calls you need.
      </span>
    </div>
  );
}

function Nothing({ isFiltered }: { readonly isFiltered: boolean }): JSX.Element {
  return isFiltered ? (
    <Empty title="No matching calls" icon="live">
      Matching calls appear here when they end. <a href={href("live")}>Show all calls</a>
    </Empty>
  ) : (
    <Empty
      title="No calls yet"
      icon="live"
      actions={
        <>
          <ConnectLink />
          {mayOpen("tools") && (
            <LinkButton icon="tools" href={href("tools")}>
              Call a tool yourself
            </LinkButton>
          )}
        </>
      }
    >
      The first call appears here at the moment it ends.
    </Empty>
  );
}

/** Moves the focus between rows, or to the first row. */
function step(body: HTMLElement | null, by: number): void {
  const links = [...(body?.querySelectorAll<HTMLElement>(".row-link") ?? [])];
  const at = links.findIndex((link) => link === document.activeElement);
  links[at < 0 ? 0 : Math.min(links.length - 1, Math.max(0, at + by))]?.focus();
}
