import type { JSX } from "preact";
import type { OpenedTrace } from "../../../../src/desk/contract.ts";
import { Badge } from "../../components/badge.tsx";
import { Icon } from "../../components/icon.tsx";
import { Json } from "../../components/json.tsx";
import { Text } from "../../components/text.tsx";
import { count, duration } from "../../format.ts";

type TraceStep = OpenedTrace["trace"][number];

/** The call a step made: which tool, with what. */
export function StepCall({ call }: { readonly call: TraceStep["call"] }): JSX.Element {
  if (!call) return <p class="muted">It called no tool: it spoke.</p>;
  const { name, input, isError, inner, approval } = call;
  return (
    <div class="stack-tight">
      <div class="row">
        <span class="mono strong">
          <Text value={name} most={120} isFixed />
        </span>
        {isError && <Badge tone="bad">failed</Badge>}
      </div>
      {typeof input === "string" ? (
        <>
          <p class="text-bad small">What was written is no JSON:</p>
          <Text value={input} isBlock isMono most={2000} />
        </>
      ) : (
        <Json value={input} depth={3} />
      )}
      {inner !== undefined && inner.length > 0 && (
        <section>
          <h3 class="seen-name">Calls made by the code</h3>
          <Json value={inner} depth={1} />
        </section>
      )}
      {approval !== undefined && (
        <section>
          <h3 class="seen-name">Approval</h3>
          <Json value={approval} depth={1} />
        </section>
      )}
    </div>
  );
}

/** How long the agent thought, the tool ran and the judge judged. */
export function StepTimings({ step }: { readonly step: TraceStep }): JSX.Element {
  const { agentMs, actMs, judgeMs } = step.timings;
  const rows = [
    { name: "Agent", ms: agentMs, tone: "accent" },
    { name: "Environment", ms: actMs, tone: "good" },
    { name: "Judge", ms: judgeMs, tone: "info" },
  ];
  const most = Math.max(1e-9, ...rows.map(({ ms }) => ms));
  const { usage, cost, retries } = step;
  return (
    <div class="stack-tight">
      <ul class="step-timings" aria-label="Timings">
        {rows.map(({ name, ms, tone }) => (
          <li key={name} class={`tone-${tone}`}>
            <span>{name}</span>
            <span class="bar-track" aria-hidden="true">
              <span class="bar" style={{ width: `${(Math.max(0, ms) / most) * 100}%` }} />
            </span>
            <span class="num end">{duration(ms)}</span>
          </li>
        ))}
      </ul>
      {(usage !== undefined || retries !== undefined) && (
        <p class="muted small num">
          {usage && `${count(usage.prompt_tokens)} tokens in, ${count(usage.completion_tokens)} out`}
          {cost !== undefined && `, $${cost.toFixed(5)}`}
          {retries !== undefined && retries > 0 && `, asked again ${retries} times`}
        </p>
      )}
    </div>
  );
}

/** What the control plane failed at, and for which a safe default was taken. */
export function StepFaults({ faults }: { readonly faults: TraceStep["faults"] }): JSX.Element {
  return (
    <ul class="stack-tight">
      {faults.slice(0, 20).map(({ what, why }, at) => (
        <li key={at} class="problem">
          <Icon name="warn" />
          <span>
            <b>
              <Text value={what} most={60} isFixed />
            </b>
            : <Text value={why} most={600} />
          </span>
        </li>
      ))}
    </ul>
  );
}
