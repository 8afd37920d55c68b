import type { JSX } from "preact";
import type { CallDetail } from "../../../../packages/biplane/src/admin/calls/call-api.ts";
import type { TimelineDecision } from "../../../../packages/core/src/call/call-timeline.ts";
import { Badge, outcomeTone } from "../../components/badge.tsx";
import type { Tone } from "../../components/badge.tsx";
import { Text } from "../../components/text.tsx";
import { Duration } from "../../components/time.tsx";
import { decisionText } from "./decision-text.ts";

/** The timeline of a call: the duration and the decisions of each step. */
export function Waterfall({ call }: { readonly call: CallDetail }): JSX.Element {
  const bars = barsOf(call);
  if (bars.length === 0) return <p class="muted">No timeline is available for this call.</p>;
  return (
    <ol class="live-waterfall" aria-label="Timeline of the call">
      {bars.map(({ name, about, left, width, ms, decisions, isEnd }) => (
        <li key={name} class={isEnd ? `live-step live-step-end tone-${outcomeTone(call.outcome)}` : "live-step"}>
          <span class="live-step-name" title={about}>
            {about}
          </span>
          <span class="live-track" aria-hidden="true">
            <span class="live-bar" style={{ insetInlineStart: `min(${left}%, 100% - 3px)`, width: `${width}%` }} />
          </span>
          <span class="live-step-time">
            <Duration ms={ms} />
          </span>
          {decisions.length > 0 && (
            <ul class="live-decisions">
              {decisions.map((decision, at) => (
                <Decision key={at} decision={decision} />
              ))}
            </ul>
          )}
        </li>
      ))}
    </ol>
  );
}

function Decision({ decision }: { readonly decision: TimelineDecision }): JSX.Element {
  const { verdict, reason } = decision;
  return (
    <li class="row">
      <Badge tone={tones[verdict]}>{verdicts[verdict]}</Badge>
      <span class="grow">
        <Text value={decisionText(decision)} maxLength={160} isFixed />
        {reason !== undefined && (
          <span class="muted">
            : <Text value={reason} maxLength={300} />
          </span>
        )}
      </span>
    </li>
  );
}

const tones: Readonly<Record<TimelineDecision["verdict"], Tone>> = {
  allow: "good",
  approved: "good",
  ask: "info",
  deny: "warn",
};
const verdicts = { allow: "allowed", approved: "approved", ask: "asked", deny: "denied" };

interface Bar {
  readonly name: string;
  readonly about: string;
  /** Percent of the total duration. */
  readonly left: number;
  readonly width: number;
  readonly ms: number;
  readonly decisions: readonly TimelineDecision[];
  /** The call ended in this step. */
  readonly isEnd: boolean;
}

function barsOf({ timeline, durationMs, outcome }: CallDetail): readonly Bar[] {
  const ended = timeline.at(-1)?.endedMs ?? 0;
  const whole = Math.max(durationMs, ended, 0.001);
  let from = 0;
  const bars = timeline.map(({ step, endedMs, decisions = [] }, at): Bar => {
    const start = from;
    from = Math.max(from, endedMs);
    const isEnd = outcome !== "done" && at === timeline.length - 1;
    return {
      name: `${at} ${step}`,
      about: isEnd && outcome === "APPROVAL_PENDING" ? "Ask for approval" : (labels[step] ?? step),
      left: (start / whole) * 100,
      width: ((from - start) / whole) * 100,
      ms: from - start,
      decisions,
      isEnd,
    };
  });
  // Hide steps without duration and decisions.
  const shown = bars.filter(({ ms, decisions, isEnd }) => ms >= 0.001 || decisions.length > 0 || isEnd);
  if (timeline.length === 0 || durationMs - ended < 0.001) return shown;
  const rest = { left: (ended / whole) * 100, width: ((durationMs - ended) / whole) * 100, ms: durationMs - ended };
  return [...shown, { name: "rest", about: labels["rest"] ?? "rest", ...rest, decisions: [], isEnd: false }];
}

const labels: Readonly<Record<string, string>> = {
  resolve: "Find the tool",
  findEpisode: "Find the episode",
  limit: "Check rate limits",
  check: "Check the input",
  decide: "Apply policies",
  recall: "Find a stored result",
  checkAudit: "Check the audit log",
  approve: "Approval",
  occupy: "Wait for capacity",
  claim: "Claim the retry key",
  enter: "Wait for the turn",
  run: "Run the tool",
  observe: "Observe",
  verify: "Check the output",
  commit: "Commit the step",
  rest: "Redact and record",
};
