import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { EpisodeDetail, EpisodeStep } from "../../../../packages/biplane/src/admin/episodes/episode-api.ts";
import { mayRead } from "../../access.ts";
import { Badge, outcomeTone, outcomeLabel } from "../../components/badge.tsx";
import { Icon } from "../../components/icon.tsx";
import { inputPairs } from "../../components/input-values.ts";
import { Json } from "../../components/json.tsx";
import { Text } from "../../components/text.tsx";
import { plural } from "../../format.ts";
import { href } from "../../router.ts";
import { sideOfStep, toneOfSide } from "./screen-text.ts";
import { Reward } from "./reward.tsx";
import { ResultView } from "./result-view.tsx";

/** The last steps, oldest first as in a trace. Each expands to its input and result. */
export function EpisodeSteps({ episode }: { readonly episode: EpisodeDetail }): JSX.Element {
  const { steps, stepCount, rendered } = episode;
  const text = rendered?.kind === "text" ? rendered.text : "";
  const [maxShown, setMaxShown] = useState(30);
  if (steps.length === 0) return <p class="muted">No steps yet.</p>;
  const earlier = Math.max(0, steps.length - maxShown);
  return (
    <>
      {earlier > 0 && (
        <button type="button" class="more" onClick={() => setMaxShown(maxShown * 4)}>
          {plural(earlier, "earlier step")}
        </button>
      )}
      <ol class="episode-steps" aria-label="Steps">
        {steps.slice(earlier).map((step, at) => (
          <Step
            key={step.call ?? `${step.step}-${earlier + at}`}
            step={step}
            side={sideOfStep({ text, stepCount, step: step.step })}
          />
        ))}
      </ol>
    </>
  );
}

function Step({ step, side }: { readonly step: EpisodeStep; readonly side: string | undefined }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const { outcome } = step;
  return (
    <li class="episode-step">
      <button type="button" class="episode-step-head" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name={isOpen ? "down" : "right"} size={12} />
        <span class="muted num episode-step-number">{step.step}</span>
        <span class="mono grow ellipsis">
          {side !== undefined && <span class={`strong screen-front tone-${toneOfSide(side)}`}>{side} </span>}
          <Text value={step.tool} maxLength={60} isFixed /> <CallInput input={step.input} />
        </span>
        {outcome !== "done" && <Badge tone={outcomeTone(outcome)}>{outcomeLabel(outcome)}</Badge>}
        <Reward value={step.reward} isSigned />
      </button>
      {isOpen && (
        <div class="episode-step-body">
          <section>
            <h3 class="value-name">Input</h3>
            <Json value={step.input} depth={3} />
          </section>
          <section>
            <h3 class="value-name">Result</h3>
            {step.result ? <ResultView result={step.result} /> : <p class="muted">No result.</p>}
          </section>
          {step.call !== null && mayRead("calls") && (
            <a class="small" href={href("live", [step.call])}>
              View call
            </a>
          )}
        </div>
      )}
    </li>
  );
}

/** An input on one line: the value of a single argument, or all names and values. */
function CallInput({ input }: { readonly input: unknown }): JSX.Element {
  return <Text value={shortInput(input)} maxLength={160} isFixed class="muted" />;
}

export function shortInput(input: unknown): string {
  if (typeof input === "string") return input;
  const entries = typeof input === "object" && input !== null ? Object.entries(input) : [];
  const [only] = entries;
  if (only && entries.length === 1 && typeof only[1] !== "object") return String(only[1]);
  if (entries.length === 0) return "";
  return Array.isArray(input) ? JSON.stringify(input) : inputPairs(JSON.stringify(input));
}
