import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { CallDetail, CallSummary } from "../../../../packages/biplane/src/admin/calls/call-api.ts";
import { Result } from "../../apps/result.tsx";
import { Badge, Outcome, outcomeTone } from "../../components/badge.tsx";
import { Button, LinkButton } from "../../components/button.tsx";
import { Drawer } from "../../components/dialog.tsx";
import { Json } from "../../components/json.tsx";
import { Facts } from "../../components/page.tsx";
import type { Fact } from "../../components/page.tsx";
import { Loaded, Loading } from "../../components/states.tsx";
import { Text } from "../../components/text.tsx";
import { CallDuration, Time } from "../../components/time.tsx";
import { ViewLink } from "../../components/view-link.tsx";
import { decimal, plural } from "../../format.ts";
import { useResource } from "../../resource.ts";
import { mayRead, mayUse } from "../../access.ts";
import { href } from "../../router.ts";
import { Waterfall } from "./waterfall.tsx";

/** The details of one call. j and k move through the list. */
export function CallDrawer(props: {
  readonly id: string;
  readonly onClose: () => void;
  readonly onMove: (by: 1 | -1) => void;
  /** What the list shows of the call. */
  readonly known: CallSummary | undefined;
  /** Shows the call beside the list instead of over it. */
  readonly isBeside: boolean;
}): JSX.Element {
  const { id, onClose, onMove } = props;
  const call = useResource("/api/calls/:id", { id });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      // A dialog handles Esc itself.
      if (event.key === "Escape" && props.isBeside && !document.querySelector("dialog[open]")) return onClose();
      const by = event.key === "j" ? 1 : event.key === "k" ? -1 : undefined;
      const isTyping = event.target instanceof Element && event.target.closest("input, textarea, select") !== null;
      if (by === undefined || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      onMove(by);
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [onMove]);
  const actions = (
    <>
      <span class="grow row">
        <Button kind="quiet" size="small" icon="up" label="Newer (k)" onClick={() => onMove(-1)} />
        <Button kind="quiet" size="small" icon="down" label="Older (j)" onClick={() => onMove(1)} />
      </span>
      {call.data && mayUse("tools") && <Again call={call.data} />}
    </>
  );
  const isOpening = call.data === undefined && call.error === undefined;
  const content =
    isOpening && props.known ? (
      <Opening call={props.known} />
    ) : (
      <Loaded resource={call} rows={8}>
        {(opened) => <Opened key={opened.id} call={opened} />}
      </Loaded>
    );
  if (!props.isBeside)
    return (
      <Drawer title="Call" onClose={onClose} actions={actions}>
        {content}
      </Drawer>
    );
  return <Pane title="Call" actions={actions} content={content} onClose={onClose} />;
}

/** The call beside the list, on wide screens. Esc closes it. */
function Pane(props: {
  readonly title: string;
  readonly actions: JSX.Element;
  readonly content: JSX.Element;
  readonly onClose: () => void;
}): JSX.Element {
  const { title, actions, content, onClose } = props;
  const pane = useRef<HTMLElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    pane.current?.focus({ preventScroll: true });
    return () => {
      if (before instanceof HTMLElement) before.focus({ preventScroll: true });
    };
  }, []);
  return (
    <aside ref={pane} class="live-pane" aria-label={title} tabIndex={-1}>
      <header class="dialog-head">
        <h2>{title}</h2>
        <Button kind="quiet" size="small" icon="close" label="Close" onClick={onClose} />
      </header>
      <div class="live-pane-body">{content}</div>
      <footer class="dialog-foot">{actions}</footer>
    </aside>
  );
}

/** What the list knows, until the rest is there, so that a call opens at once. */
function Opening({ call }: { readonly call: CallSummary }): JSX.Element {
  return (
    <div class="stack live-call">
      <CallTitle call={call} />
      <Facts facts={factsOf({ ...call, step: null })} />
      <Loading rows={6} />
    </div>
  );
}

function CallTitle({ call }: { readonly call: CallSummary }): JSX.Element {
  const name = <Text value={call.tool} isMono maxLength={120} />;
  return (
    <div class="row">
      <span class="live-tool">
        {isListed(call) ? (
          <ViewLink route="tools" path={[call.server, call.tool]}>
            {name}
          </ViewLink>
        ) : (
          name
        )}
      </span>
      <Outcome value={call.outcome} />
      <span class="muted">
        <CallDuration call={call} />
      </span>
    </div>
  );
}

function Opened({ call }: { readonly call: CallDetail }): JSX.Element {
  // The content usually repeats the structured content, so count only one of them.
  const hidden = redactionsIn([call.input, call.message, call.result?.structuredContent ?? call.result?.content]);
  return (
    <div class="stack live-call">
      <header class="stack-tight">
        <CallTitle call={call} />
        {call.message !== null && (
          <div class={`live-message tone-${outcomeTone(call.outcome)}`}>
            <Text value={call.message} isBlock />{" "}
            {call.outcome === "APPROVAL_PENDING" && <ApprovalLink message={call.message} />}
          </div>
        )}
        {hidden > 0 && (
          <p class="live-note">
            <Badge tone="info">{plural(hidden, "secret")} redacted</Badge>
            <span>Secret values are replaced by their names.</span>
          </p>
        )}
      </header>
      <Facts facts={factsOf(call)} />
      <Part title="Input">
        <Json value={call.input} depth={3} copyLabel="Copy the input" />
      </Part>
      {/* Without a result, the message above says why. */}
      {(call.result || call.message === null) && (
        <Part title="Result">
          {call.result ? <Result result={call.result} server={call.server} /> : <p class="muted">No result.</p>}
        </Part>
      )}
      <Part title="Timeline">
        <Waterfall call={call} />
      </Part>
    </div>
  );
}

function ApprovalLink({ message }: { readonly message: string }): JSX.Element | null {
  if (!mayRead("approvals")) return null;
  const [, id] = /\(approval ([\w-]{1,200})\)/.exec(message) ?? [];
  return <a href={href("approvals", id === undefined ? [] : [id])}>View approval</a>;
}

function Part({ title, children }: { readonly title: string; readonly children: JSX.Element }): JSX.Element {
  return (
    <section class="live-part">
      <h3>{title}</h3>
      {children}
    </section>
  );
}

function factsOf(call: CallSummary & Pick<CallDetail, "step">): readonly (Fact | false)[] {
  const { agent, principal, session, episode, step, server } = call;
  return [
    ["Time", <Time key="at" at={call.at} isExact />],
    ["Server", <Text key="server" value={server} />],
    ["Route", <Badge key="route">{call.route}</Badge>],
    [
      "Agent",
      <span key="agent">
        <a href={href("live", [], { agent: agent.agentId })}>
          <Text value={agent.agentId} maxLength={120} isFixed />
        </a>
        {agent.model !== undefined && (
          <span class="muted">
            {" "}
            with <Text value={agent.model} maxLength={80} isFixed />
          </span>
        )}
      </span>,
    ],
    [
      "Caller",
      <span key="principal">
        <a href={href("live", [], { principal: principal.id })}>
          <Text value={principal.id} maxLength={120} isFixed />
        </a>{" "}
        <span class="muted">{principal.kind}</span>
      </span>,
    ],
    ["Request", <Text key="request" value={agent.requestId} isMono maxLength={120} isFixed />],
    session !== null && [
      "Session",
      <ViewLink key="session" route="connections" path={[session]}>
        <Text value={session} isMono maxLength={60} isFixed />
      </ViewLink>,
    ],
    episode !== null && [
      "Episode",
      <ViewLink key="episode" route="episodes" path={[episode]}>
        <Text value={episode} isMono maxLength={60} isFixed />
      </ViewLink>,
    ],
    step !== null && [
      "Step",
      <span key="step">
        <span class="num">{step.stepCount}</span>, reward <span class="num strong">{decimal(step.reward)}</span>
        {step.terminated && (
          <>
            {" "}
            <Badge tone="info">terminated</Badge>
          </>
        )}
      </span>,
    ],
  ];
}

function Again({ call }: { readonly call: CallDetail }): JSX.Element | null {
  if (!isListed(call)) return null;
  const input = JSON.stringify(call.input);
  // Long inputs do not fit in a URL, so the form starts empty.
  const query = { input: input.length > 1500 ? "" : input, episode: call.episode };
  return (
    <LinkButton icon="play" href={href("tools", [call.server, call.tool], query)}>
      Call again with this input
    </LinkButton>
  );
}

/** False for resource and prompt reads, which are calls without a listed tool. */
function isListed({ tool, outcome }: CallSummary): boolean {
  return outcome !== "TOOL_NOT_FOUND" && /^[\w.-]+$/.test(tool);
}

function redactionsIn(values: readonly unknown[]): number {
  return JSON.stringify(values).match(/\[REDACTED(?::[\w.:/-]{1,200})?\]/g)?.length ?? 0;
}
