import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { EpisodeDetail } from "../../../../packages/biplane/src/admin/episodes/episode-api.ts";
import { mayUse } from "../../access.ts";
import { callApi } from "../../api.ts";
import { Button } from "../../components/button.tsx";
import { Confirm } from "../../components/dialog.tsx";
import { toast, toastProblem } from "../../components/toast.tsx";
import { serverOverview } from "../../server-overview.ts";
import { useMutation } from "../../resource.ts";
import { go, href } from "../../router.ts";

/** The fork and end buttons. */
export function EpisodeActions({ episode }: { readonly episode: EpisodeDetail }): JSX.Element {
  const { id, canFork, stepCount } = episode;
  const [isEnding, setEnding] = useState(false);
  const fork = useMutation((_: void, signal) =>
    callApi("POST /api/episodes/:id/fork", { id, signal }).catch(toastAndRethrow),
  );
  const makeFork = async () => {
    const made = await fork.run();
    if (!made) return;
    toast("Forked. This is the new episode.");
    go(href("episodes", [made.id]));
  };
  const end = async () => {
    await callApi("DELETE /api/episodes/:id", { id });
    toast("Episode ended.");
    go(href("episodes"));
  };
  if (serverOverview.value?.mode !== "simulation" || !mayUse("episodes")) return <></>;
  return (
    <>
      <Button
        icon="fork"
        isBusy={fork.isBusy}
        isDisabled={!canFork}
        title={
          canFork ? "Creates a second episode that continues from here" : "This environment's state cannot be copied"
        }
        onClick={() => void makeFork()}
      >
        {stepCount === 0 ? "Fork" : `Fork from step ${stepCount}`}
      </Button>
      <Button kind="bad" onClick={() => setEnding(true)}>
        End
      </Button>
      {isEnding && (
        <Confirm title="End this episode?" action="End episode" run={end} onClose={() => setEnding(false)}>
          Clients can no longer continue it, and its state is deleted.
        </Confirm>
      )}
    </>
  );
}

function toastAndRethrow(error: unknown): never {
  toastProblem(error);
  throw error;
}
