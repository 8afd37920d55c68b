import type { JSX } from "preact";
import type { TraceDetail } from "../../../../packages/biplane/src/admin/runs/trace-api.ts";
import { Badge } from "../../components/badge.tsx";
import { Icon } from "../../components/icon.tsx";
import { Json } from "../../components/json.tsx";
import { Text } from "../../components/text.tsx";
import { count, dollars, duration, plural } from "../../format.ts";

type TraceStep = TraceDetail["trace"][number];

/** The tool call of a step. */
export function StepCall({ call }: { readonly call: TraceStep["call"] }): JSX.Element {
  if (!call) return <p class="muted">No tool call. The agent sent a message.</p>;
  const { tool: name, input, isError } = call;
  return (
    <div class="stack-tight">
      <div class="row">
        <Text value={name} maxLength={120} isFixed isMono class="strong" />
        {isError && <Badge tone="bad">failed</Badge>}
      </div>
      {typeof input === "string" ? (
        <>
          <p class="text-bad small">The arguments are not valid JSON:</p>
          <Text value={input} isBlock isMono maxLength={2000} />
        </>
      ) : (
        <Json value={input} depth={3} />
      )}
      <CallExtras call={call} />
    </div>
  );
}

/** The calls that the code of a call made, and the approval that it needed. */
export function CallExtras({
  call: { inner, approval },
}: {
  readonly call: NonNullable<TraceStep["call"]>;
}): JSX.Element {
  return (
    <>
      {inner !== undefined && inner.length > 0 && (
        <section>
          <h3 class="value-name">Calls made by the code</h3>
          <Json value={inner} depth={1} />
        </section>
      )}
      {approval !== undefined && (
        <section>
          <h3 class="value-name">Approval</h3>
          <Json value={approval} depth={1} />
        </section>
      )}
    </>
  );
}

/** The durations of agent, environment and judge. */
export function StepTimings({ step }: { readonly step: TraceStep }): JSX.Element {
  const { agentMs, actMs, judgeMs } = step.timings;
  const rows = [
    { name: "Agent", ms: agentMs, tone: "accent" },
    { name: "Environment", ms: actMs, tone: "good" },
    { name: "Judge", ms: judgeMs, tone: "info" },
  ];
  const max = Math.max(1e-9, ...rows.map(({ ms }) => ms));
  const { usage, cost, retries } = step;
  return (
    <div class="stack-tight">
      <ul class="step-timings" aria-label="Timings">
        {rows.map(({ name, ms, tone }) => (
          <li key={name} class={`tone-${tone}`}>
            <span>{name}</span>
            <span class="bar-track" aria-hidden="true">
              {ms > 0 && <span class="bar" style={{ width: `${(ms / max) * 100}%` }} />}
            </span>
            <span class="num end">{duration(ms)}</span>
          </li>
        ))}
      </ul>
      {(usage !== undefined || retries !== undefined) && (
        <p class="muted small num">
          {usage && `${count(usage.prompt_tokens)} tokens in, ${count(usage.completion_tokens)} out`}
          {cost !== undefined && `, ${dollars(cost)}`}
          {retries !== undefined && retries > 0 && `, ${plural(retries, "retry", "retries")}`}
        </p>
      )}
    </div>
  );
}

/** Failures of the control plane, for which defaults were used. */
export function StepFaults({ faults }: { readonly faults: TraceStep["faults"] }): JSX.Element {
  return (
    <ul class="stack-tight">
      {faults.slice(0, 20).map(({ what, why }, at) => (
        <li key={at} class="problem">
          <Icon name="warn" />
          <span>
            <b>
              <Text value={what} maxLength={60} isFixed />
            </b>
            : <Text value={why} maxLength={600} />
          </span>
        </li>
      ))}
    </ul>
  );
}
