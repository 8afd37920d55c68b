import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { TraceDetail, TraceReplay } from "../../../../packages/biplane/src/admin/runs/trace-api.ts";
import { mayUse } from "../../access.ts";
import { callApi } from "../../api.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Icon } from "../../components/icon.tsx";
import { toastProblem } from "../../components/toast.tsx";
import { plural } from "../../format.ts";
import { useMutation } from "../../resource.ts";
import { go, href } from "../../router.ts";
import { Screen } from "../episodes/screen.tsx";
import { ValueView } from "../episodes/value-view.tsx";
import { DivergenceView } from "./divergence.tsx";

/** Replays a trace up to a step, to verify it or to continue by hand from there. */
export function ReplayActions({ trace, at }: { readonly trace: TraceDetail; readonly at: number }): JSX.Element {
  const [replayed, setReplayed] = useState<TraceReplay>();
  const [intent, setIntent] = useState<"verify" | "continue">("verify");
  const replay = useMutation((steps: number, signal) =>
    callApi("POST /api/traces/:id/replay", { id: trace.id, body: { steps }, signal }).catch((error: unknown) => {
      if (!signal.aborted) toastProblem(error);
      throw error;
    }),
  );
  const run = async (wanted: "verify" | "continue") => {
    setIntent(wanted);
    const answer = await replay.run(at);
    if (!answer) return;
    if (wanted === "continue" && !answer.divergence) go(href("episodes", [answer.episode.id]));
    else setReplayed(answer);
  };
  if (!mayUse("runs")) return <></>;
  const title = trace.canReplay
    ? `Replays the first ${plural(at, "step")}`
    : "No environment served here has the tools of this trace";
  return (
    <>
      <Button
        icon="refresh"
        title={title}
        isDisabled={!trace.canReplay}
        isBusy={replay.isBusy && intent === "verify"}
        onClick={() => void run("verify")}
      >
        Replay<span class="wide-only"> to here</span>
      </Button>
      {mayUse("episodes") && (
        <Button
          kind="main"
          icon="fork"
          title={title}
          isDisabled={!trace.canReplay}
          isBusy={replay.isBusy && intent === "continue"}
          onClick={() => void run("continue")}
        >
          Fork<span class="wide-only"> and continue</span>
        </Button>
      )}
      {replayed && <Replayed replayed={replayed} steps={at} onClose={() => setReplayed(undefined)} />}
    </>
  );
}

function Replayed(props: {
  readonly replayed: TraceReplay;
  readonly steps: number;
  readonly onClose: () => void;
}): JSX.Element {
  const { replayed, steps, onClose } = props;
  const { episode, divergence } = replayed;
  const open = () => go(href("episodes", [episode.id]));
  // Nothing else refers to the episode, so delete it unless the user continues it.
  const discard = () => {
    onClose();
    if (mayUse("episodes")) callApi("DELETE /api/episodes/:id", { id: episode.id }).catch(() => undefined);
  };
  return (
    <Dialog
      title={divergence ? "The replay differs" : "The replay matches"}
      width={divergence ? "wide" : "usual"}
      onClose={discard}
      actions={
        <>
          <Button onClick={discard}>Close</Button>
          {mayUse("episodes") && (
            <Button kind="main" icon="play" onClick={open}>
              Continue from here
            </Button>
          )}
        </>
      }
    >
      <div class="stack">
        {divergence ? (
          <>
            <p>
              The replay differs from the recording. The new episode stops just before the difference, after{" "}
              {plural(episode.stepCount, "step")}.
            </p>
            <DivergenceView divergence={divergence} names={["recorded", "replayed"]} />
          </>
        ) : (
          <p class="row">
            <span class="text-good">
              <Icon name="check" />
            </span>
            {steps === 0
              ? "The new episode starts like the recorded one."
              : `${plural(steps, "step")} replayed. Observations, rewards and endings match the recording.`}
          </p>
        )}
        {episode.rendered?.kind === "text" ? (
          <Screen text={episode.rendered.text} label="Current state" isLarge />
        ) : (
          <ValueView value={episode.observation} label="Current state" />
        )}
      </div>
    </Dialog>
  );
}
