import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { OpenedTrace, ReplayedTrace } from "../../../../src/desk/contract.ts";
import { ask, segment } from "../../api.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Icon } from "../../components/icon.tsx";
import { toastProblem } from "../../components/toast.tsx";
import { plural } from "../../format.ts";
import { usePost } from "../../resource.ts";
import { go, href } from "../../router.ts";
import { Screen } from "../episodes/screen.tsx";
import { Seen } from "../episodes/seen.tsx";
import { DivergenceView } from "./divergence.tsx";

/** Plays a trace again up to a step: to see whether it comes out the same, or to go on by hand from there. */
export function ReplayActions({ trace, at }: { readonly trace: OpenedTrace; readonly at: number }): JSX.Element {
  const [replayed, setReplayed] = useState<ReplayedTrace>();
  const [wish, setWish] = useState<"look" | "play">("look");
  const replay = usePost((steps: number, signal) =>
    ask<ReplayedTrace>(`POST /api/traces/${segment(trace.id)}/replay`, { body: { steps }, signal }).catch(
      (error: unknown) => {
        if (!signal.aborted) toastProblem(error);
        throw error;
      },
    ),
  );
  const run = async (wanted: "look" | "play") => {
    setWish(wanted);
    const answer = await replay.run(at);
    if (!answer) return;
    if (wanted === "play" && !answer.divergence) go(href("episodes", [answer.episode.id]));
    else setReplayed(answer);
  };
  const title = trace.canReplay
    ? `Plays the first ${plural(at, "step")} again`
    : "No environment that is served here has the tools of this trace";
  return (
    <>
      <Button
        icon="refresh"
        title={title}
        isDisabled={!trace.canReplay}
        isBusy={replay.isBusy && wish === "look"}
        onClick={() => void run("look")}
      >
        Replay to here
      </Button>
      <Button
        kind="main"
        icon="fork"
        title={title}
        isDisabled={!trace.canReplay}
        isBusy={replay.isBusy && wish === "play"}
        onClick={() => void run("play")}
      >
        Fork from here and play on
      </Button>
      {replayed && <Replayed replayed={replayed} steps={at} onClose={() => setReplayed(undefined)} />}
    </>
  );
}

function Replayed(props: {
  readonly replayed: ReplayedTrace;
  readonly steps: number;
  readonly onClose: () => void;
}): JSX.Element {
  const { replayed, steps, onClose } = props;
  const { episode, divergence } = replayed;
  const open = () => go(href("episodes", [episode.id]));
  // Nobody else knows of it: one that is only looked at is not left behind.
  const leave = () => {
    onClose();
    ask(`DELETE /api/episodes/${segment(episode.id)}`).catch(() => undefined);
  };
  return (
    <Dialog
      title={divergence ? "It came out differently" : "It came out the same"}
      width={divergence ? "wide" : "usual"}
      onClose={leave}
      actions={
        <>
          <Button onClick={leave}>Close</Button>
          <Button kind="main" icon="play" onClick={open}>
            Play on from here
          </Button>
        </>
      }
    >
      <div class="stack">
        {divergence ? (
          <>
            <p>
              The replay was not as recorded. The new episode stands just before, after{" "}
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
              ? "A new episode began as the recorded one did."
              : `All of ${plural(steps, "step")} came out as recorded: observations, rewards and endings.`}
          </p>
        )}
        {episode.rendered?.kind === "text" ? (
          <Screen text={episode.rendered.text} label="Where it stands now" isLarge />
        ) : (
          <Seen value={episode.observation} label="Where it stands now" />
        )}
      </div>
    </Dialog>
  );
}
