import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { OpenedEpisode } from "../../../../src/desk/contract.ts";
import { ask, segment } from "../../api.ts";
import { Button } from "../../components/button.tsx";
import { Confirm } from "../../components/dialog.tsx";
import { toast, toastProblem } from "../../components/toast.tsx";
import { house } from "../../house.ts";
import { usePost } from "../../resource.ts";
import { go, href } from "../../router.ts";

/** Fork and end. */
export function EpisodeActions({ episode }: { readonly episode: OpenedEpisode }): JSX.Element {
  const { id, canFork } = episode;
  const [isEnding, setEnding] = useState(false);
  const fork = usePost((_: void, signal) =>
    ask<OpenedEpisode>(`POST /api/episodes/${segment(id)}/fork`, { body: {}, signal }).catch(toldOf),
  );
  const makeFork = async () => {
    const made = await fork.run();
    if (!made) return;
    toast("Forked: this is the fork");
    go(href("episodes", [made.id]));
  };
  const end = async () => {
    await ask(`DELETE /api/episodes/${segment(id)}`);
    toast("Ended");
    go(href("episodes"));
  };
  if (house.value?.mode !== "simulation") return <></>;
  return (
    <>
      <Button
        icon="fork"
        isBusy={fork.isBusy}
        isDisabled={!canFork}
        title={canFork ? "A second episode that goes on from here" : "This environment holds what cannot be copied"}
        onClick={() => void makeFork()}
      >
        Fork here
      </Button>
      <Button kind="bad" onClick={() => setEnding(true)}>
        End
      </Button>
      {isEnding && (
        <Confirm title="End this episode?" action="End it" run={end} onClose={() => setEnding(false)}>
          Whoever plays it can no longer go on, and its state is gone.
        </Confirm>
      )}
    </>
  );
}

function toldOf(error: unknown): never {
  toastProblem(error);
  throw error;
}
