import type { JSX } from "preact";
import type { ToolSummary } from "../../../../packages/biplane/src/admin/overview/overview-api.ts";
import type { CallViaResult } from "../../../../packages/biplane/src/admin/calls/call-api.ts";
import { Result } from "../../apps/result.tsx";
import { Outcome } from "../../components/badge.tsx";
import { Code } from "../../components/code.tsx";
import { CopyButton } from "../../components/copy.tsx";
import { JsonDiff } from "../../components/diff.tsx";
import { Card } from "../../components/page.tsx";
import { Duration } from "../../components/time.tsx";
import { plural } from "../../format.ts";
import { approvalIn } from "./approval-in.ts";
import { CallLink } from "./call-link.tsx";
import { Comparison, isSame } from "./comparison.tsx";
import type { MadeCall } from "./use-call.ts";
import { ApprovalNotice } from "./approval-notice.tsx";
import { viaLabels } from "./via.tsx";

interface CallResultsProps {
  readonly tool: ToolSummary;
  readonly made: MadeCall;
  readonly isBusy: boolean;
  readonly onAgain: () => void;
  /** Called after an app has made a step. */
  readonly onStep: () => void;
}

/** The results of a call over one or several transports. */
export function CallResults(props: CallResultsProps): JSX.Element {
  const { made, isBusy } = props;
  const { results } = made;
  const [first] = results;
  const waiting = results.find(({ outcome }) => outcome === "APPROVAL_PENDING");
  return (
    <div class="stack" aria-busy={isBusy}>
      {waiting && <ApprovalNotice id={approvalIn(waiting.received)} isBusy={isBusy} onAgain={props.onAgain} />}
      {results.length > 1 && <Comparison results={results} />}
      {first && (results.length === 1 || isSame(results)) && (
        <Card
          title={results.length > 1 ? "Result, identical over every transport" : <OneTitle result={first} />}
          actions={results.length === 1 && <CallLink result={first} />}
        >
          <OneResult {...props} result={first} />
        </Card>
      )}
      <div class="tools-wires">
        {results.map((result) => (
          <Wire key={result.via} {...props} result={result} />
        ))}
      </div>
    </div>
  );
}

function OneTitle({ result }: { readonly result: CallViaResult }): JSX.Element {
  return (
    <span class="row">
      Result via {viaLabels[result.via]} <Outcome value={result.outcome} />
      <span class="muted small">
        <Duration ms={result.durationMs} />
      </span>
    </span>
  );
}

function OneResult({ tool, made, result, onStep }: CallResultsProps & { readonly result: CallViaResult }): JSX.Element {
  const { request } = made;
  if (!result.result) return <p class="muted">No result. See the received message.</p>;
  const app = tool.app && { uri: tool.app.uri, tool, input: request.input, onCall: onStep };
  return <Result key={result.call} result={result.result} server={tool.server} episode={request.episode} app={app} />;
}

/** One transport: its messages, and the differences from the first result. */
function Wire(props: CallResultsProps & { readonly result: CallViaResult }): JSX.Element {
  const { result, made } = props;
  const { results } = made;
  const [first = result] = results;
  const isAlone = results.length === 1;
  const isOther = !isAlone && !isSame(results);
  return (
    <section class="tools-wire" aria-label={viaLabels[result.via]}>
      {!isAlone && (
        <header class="row tools-wire-head">
          <h3 class="grow">{viaLabels[result.via]}</h3>
          <Outcome value={result.outcome} />
        </header>
      )}
      {isOther && result.result && <Result result={result.result} server={props.tool.server} />}
      {isOther && result !== first && !isSame([first, result]) && (
        <details class="app-more" open>
          <summary>Differences from {viaLabels[first.via]}</summary>
          <JsonDiff before={first.result} after={result.result} label="Differences" />
        </details>
      )}
      <div class={isAlone ? "tools-raw tools-raw-wide" : "tools-raw"}>
        <Raw title="Sent" text={result.sent} via={viaLabels[result.via]} />
        <Raw title="Received" text={result.received} via={viaLabels[result.via]} />
      </div>
    </section>
  );
}

function Raw(props: { readonly title: string; readonly text: string; readonly via: string }): JSX.Element {
  const { title, text, via } = props;
  return (
    <div class="tools-raw-box">
      <div class="row">
        <span class="grow tools-raw-title">{title}</span>
        <span class="muted small num">{plural(text.length, "character")}</span>
        <CopyButton text={text} label={`Copy the message ${title.toLowerCase()} via ${via}`} />
      </div>
      <Code source={text} language="json" label={`${title} via ${via}`} maxLines={80} />
    </div>
  );
}
