import type { JSX } from "preact";
import { Badge } from "../../components/badge.tsx";
import { memo } from "../../components/memo.ts";
import { Text } from "../../components/text.tsx";
import { duration, plural } from "../../format.ts";
import { Reward } from "../episodes/reward.tsx";
import { isBad } from "./positions.ts";
import { CallExtras } from "./step-facts.tsx";
import { TurnMessages } from "./turn-messages.tsx";
import type { Turn } from "./turns.ts";

interface TranscriptTurnProps {
  readonly turn: Turn;
  readonly isCurrent: boolean;
  readonly annotations: number;
  readonly onMove: (at: number) => void;
}

/** One part of the conversation. Moving the slider draws only two of them again. */
export const TranscriptTurn = memo((props: TranscriptTurnProps) => {
  const { turn, isCurrent } = props;
  const { kind, position, call, step } = turn;
  return (
    <li
      class={`turn ${step && isBad(step) ? "turn-bad" : ""}`}
      data-position={kind === "rest" ? undefined : position}
      aria-current={isCurrent ? "step" : undefined}
    >
      <TurnHead {...props} />
      <TurnMessages turn={turn} label={titleOf(turn)} />
      {step?.call && !call && ((step.call.inner ?? []).length > 0 || step.call.approval !== undefined) && (
        <div class="stack-tight turn-extras">
          <CallExtras call={step.call} />
        </div>
      )}
      {step?.failure && (
        <p class="text-bad turn-failure">
          {step.failure.kind}: <Text value={step.failure.message} isBlock maxLength={8000} />
        </p>
      )}
    </li>
  );
});

function TurnHead({ turn, annotations, onMove }: TranscriptTurnProps): JSX.Element {
  const { kind, position, step } = turn;
  if (kind === "rest") return <div class="turn-head muted">{titleOf(turn)}</div>;
  return (
    <div class="turn-head">
      <button type="button" class="turn-go strong" onClick={() => onMove(position)}>
        {titleOf(turn)}
      </button>
      {step?.call?.isError === true && <Badge tone="bad">failed</Badge>}
      {annotations > 0 && <Badge tone="info">{plural(annotations, "annotation")}</Badge>}
      <span class="grow" />
      {step && (
        <span class="muted small num">
          {duration(step.timings.agentMs + step.timings.actMs + step.timings.judgeMs)}
          {step.reward !== null && (
            <>
              , reward <Reward value={step.reward} isSigned />
            </>
          )}
        </span>
      )}
    </div>
  );
}

function titleOf({ kind, position }: Turn): string {
  if (kind === "rest") return "After the last step";
  return kind === "prompt" ? "Prompt" : `Step ${position}`;
}
