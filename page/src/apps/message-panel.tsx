import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Granted, LogEntry } from "../../../src/app/browser/host/index.ts";
import { Badge } from "../components/badge.tsx";
import { Json } from "../components/json.tsx";
import { Text } from "../components/text.tsx";
import { clock, plural } from "../format.ts";

/** Every message between the page and an app, both ways, the newest first; drawn only while it is open. */
export function MessagePanel(props: {
  readonly entries: readonly LogEntry[];
  readonly granted: Granted | undefined;
}): JSX.Element {
  const { entries, granted } = props;
  const [isOpen, setOpen] = useState(false);
  const isRefused = entries.some(({ from }) => from === "remark");
  return (
    <details class="app-more" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        Messages <span class="muted num">{plural(entries.length, "message")}</span>
        {isRefused && <Badge tone="warn">with remarks</Badge>}
      </summary>
      {isOpen && (
        <>
          {granted && (
            <p class="muted small">
              The sandbox grants <Text value={JSON.stringify(granted)} isMono most={300} />
            </p>
          )}
          <ol class="app-log" aria-label="Messages, the newest first">
            {entries
              .slice(-mostShown)
              .map((entry, at) => <Entry key={`${entry.at} ${at}`} entry={entry} />)
              .toReversed()}
          </ol>
        </>
      )}
    </details>
  );
}

const mostShown = 100;

function Entry({ entry }: { readonly entry: LogEntry }): JSX.Element {
  const { at, from, method, message, remark } = entry;
  const [isOpen, setOpen] = useState(false);
  const words = { host: "page → app", view: "app → page", remark: "remark" }[from];
  return (
    <li class={`app-entry app-entry-${from}`}>
      <span class="muted num small">{clock(new Date(at).toISOString())}</span>
      <span class="app-way small">{words}</span>
      {remark !== undefined ? (
        <Text value={remark} />
      ) : (
        <button type="button" class="app-method" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <Text value={method ?? answerWord(message)} isMono most={100} isFixed />
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

function answerWord(message: unknown): string {
  const { id } = (typeof message === "object" && message !== null ? message : {}) as { id?: string | number };
  const isError = typeof message === "object" && message !== null && "error" in message;
  return `${isError ? "error" : "answer"} to ${String(id).slice(0, 40)}`;
}
