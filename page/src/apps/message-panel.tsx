import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { SandboxGrant, LogEntry } from "../../../packages/core/src/app/browser/host/index.ts";
import { Badge } from "../components/badge.tsx";
import { Json } from "../components/json.tsx";
import { Text } from "../components/text.tsx";
import { clock, plural } from "../format.ts";

/** The messages between page and app, newest first. Rendered only while open. */
export function MessagePanel(props: {
  readonly entries: readonly LogEntry[];
  readonly granted: SandboxGrant | undefined;
}): JSX.Element {
  const { entries, granted } = props;
  const [isOpen, setOpen] = useState(false);
  const hasWarnings = entries.some(({ from }) => from === "remark");
  return (
    <details class="app-more" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        Messages <span class="muted num">{plural(entries.length, "message")}</span>
        {hasWarnings && <Badge tone="warn">has warnings</Badge>}
      </summary>
      {isOpen && (
        <>
          {granted && (
            <p class="muted small">
              Sandbox permissions: <Text value={JSON.stringify(granted)} isMono maxLength={300} />
            </p>
          )}
          <ol class="app-log" aria-label="Messages, newest first">
            {entries
              .slice(-maxShown)
              .map((entry, at) => <Entry key={`${entry.at} ${at}`} entry={entry} />)
              .toReversed()}
          </ol>
        </>
      )}
    </details>
  );
}

const maxShown = 100;

function Entry({ entry }: { readonly entry: LogEntry }): JSX.Element {
  const { at, from, method, message, remark } = entry;
  const [isOpen, setOpen] = useState(false);
  const direction = { host: "page → app", view: "app → page", remark: "warning" }[from];
  return (
    <li class={`app-entry app-entry-${from}`}>
      <span class="muted num small">{clock(new Date(at).toISOString())}</span>
      <span class="app-direction small">{direction}</span>
      {remark !== undefined ? (
        <Text value={remark} />
      ) : (
        <button type="button" class="app-method" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <Text value={method ?? responseLabel(message)} isMono maxLength={100} isFixed />
        </button>
      )}
      {isOpen && (
        <div class="app-message">
          <Json value={message} depth={3} copyLabel="Copy the message" />
        </div>
      )}
    </li>
  );
}

function responseLabel(message: unknown): string {
  const { id } = (typeof message === "object" && message !== null ? message : {}) as { id?: string | number };
  const isError = typeof message === "object" && message !== null && "error" in message;
  return `${isError ? "error" : "response"} to ${String(id).slice(0, 40)}`;
}
