import type { JSX } from "preact";
import type { OpenedCall } from "../../../../src/desk/contract.ts";
import type { TrailDecision } from "../../../../src/call/trail.ts";
import { Badge, outcomeTone } from "../../components/badge.tsx";
import type { Tone } from "../../components/badge.tsx";
import { Text } from "../../components/text.tsx";
import { Duration } from "../../components/time.tsx";

/** Where the time went, step by step, and who decided what on the way. */
export function Waterfall({ call }: { readonly call: OpenedCall }): JSX.Element {
  const bars = barsOf(call);
  if (bars.length === 0) return <p class="muted">No steps were kept of this call.</p>;
  return (
    <ol class="live-waterfall" aria-label="The steps of the call">
      {bars.map(({ name, about, left, width, ms, decisions, isEnd }) => (
        <li key={name} class={isEnd ? `live-step live-step-end tone-${outcomeTone(call.outcome)}` : "live-step"}>
          <span class="live-step-name" title={about}>
            {about}
          </span>
          <span class="live-track" aria-hidden="true">
            <span class="live-bar" style={{ insetInlineStart: `${left}%`, width: `${width}%` }} />
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

function Decision({ decision: { by, verdict, reason } }: { readonly decision: TrailDecision }): JSX.Element {
  return (
    <li class="row">
      <Badge tone={tones[verdict]}>{verdicts[verdict]}</Badge>
      <span class="grow">
        <Text value={by} most={120} isFixed />
        {reason !== undefined && (
          <span class="muted">
            : <Text value={reason} most={300} />
          </span>
        )}
      </span>
    </li>
  );
}

const tones: Readonly<Record<TrailDecision["verdict"], Tone>> = {
  allow: "good",
  approved: "good",
  ask: "info",
  deny: "warn",
};
const verdicts = { allow: "allowed", approved: "approved", ask: "asked", deny: "denied" };

interface Bar {
  readonly name: string;
  readonly about: string;
  /** In per cent of the whole. */
  readonly left: number;
  readonly width: number;
  readonly ms: number;
  readonly decisions: readonly TrailDecision[];
  /** The call came no further than this. */
  readonly isEnd: boolean;
}

function barsOf({ trail, durationMs, outcome }: OpenedCall): readonly Bar[] {
  const ended = trail.at(-1)?.endedMs ?? 0;
  const whole = Math.max(durationMs, ended, 0.001);
  let from = 0;
  const bars = trail.map(({ step, endedMs, decisions = [] }, at): Bar => {
    const start = from;
    from = Math.max(from, endedMs);
    const isEnd = outcome !== "done" && at === trail.length - 1;
    return {
      name: `${at} ${step}`,
      about: words[step] ?? step,
      left: (start / whole) * 100,
      width: ((from - start) / whole) * 100,
      ms: from - start,
      decisions,
      isEnd,
    };
  });
  // Steps in which nothing happened say nothing, unless somebody decided there.
  const shown = bars.filter(({ ms, decisions, isEnd }) => ms >= 0.001 || decisions.length > 0 || isEnd);
  if (trail.length === 0 || durationMs - ended < 0.001) return shown;
  const rest = { left: (ended / whole) * 100, width: ((durationMs - ended) / whole) * 100, ms: durationMs - ended };
  return [...shown, { name: "rest", about: words["rest"] ?? "rest", ...rest, decisions: [], isEnd: false }];
}

const words: Readonly<Record<string, string>> = {
  resolve: "Find the tool",
  place: "Find the episode",
  limit: "Rate limits",
  check: "Check the input",
  decide: "Policies",
  approve: "Approval",
  occupy: "Wait for a place",
  enter: "Wait for its turn",
  run: "Run the tool",
  observe: "Observe",
  verify: "Check the output",
  commit: "Commit the step",
  rest: "Redact and record",
};
