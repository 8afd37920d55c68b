import type { JSX } from "preact";
import type { RunDetail } from "../../../../packages/biplane/src/admin/runs/run-api.ts";
import { Snippet } from "../../components/copy.tsx";
import { Text } from "../../components/text.tsx";
import { count } from "../../format.ts";
import { useResource } from "../../resource.ts";

/** True if rollouts have ended and none of them reached its own end. */
export function hasOnlyFailed({ finished, failed }: Pick<RunDetail, "finished" | "failed">): boolean {
  return finished > 0 && failed === finished;
}

/** Says once why every rollout of a run failed, and how they are played again. */
export function AllFailed({ run }: { readonly run: RunDetail }): JSX.Element {
  const { id, finished } = run;
  const traces = useResource("/api/runs/:id/traces", { id, query: { limit: 20 } }, { isCached: true });
  const causes = [...new Set(traces.data?.traces.flatMap(({ message }) => (message === null ? [] : [message])))];
  const command = commandOf(run);
  return (
    <div class="problem run-all-failed" role="alert">
      <div class="grow stack-tight">
        <b>{finished === 1 ? "The rollout failed." : `All ${count(finished)} rollouts failed.`}</b>
        {causes.slice(0, maxCauses).map((cause) => (
          <Text key={cause} value={cause} isBlock maxLength={2400} />
        ))}
        <p>
          When the cause is gone, start a new run.
          {command !== undefined && (
            <>
              {" "}
              If its target was a file, write the path. Add other options of this run, such as <code>
                --rows
              </code> or{" "}
              <code>--base-url</code>:
            </>
          )}
        </p>
        {command !== undefined && <Snippet text={command} language="shell" label="command" />}
        <p>
          <code>--retries 3</code> tries a rollout again after a failure of the model or its provider.{" "}
          <code>biplane rollout --resume</code> does not, because failed rollouts count as finished.
        </p>
      </div>
    </div>
  );
}

/** A command that plays the same again, as far as it is known. Undefined if a part of it cannot be written as it is. */
function commandOf({ target, agent, model, rows, repetitions, steps }: RunDetail): string | undefined {
  const isModel = agent === "openai" || agent === "model";
  const by = isModel ? ["--model", model] : ["--agent", agent];
  const words = [target, ...by, "--number", rows, "--repetitions", repetitions, "--steps", steps, "--retries", 3];
  const isKnown = isModel || agent === "random" || agent === "greedy";
  const isPlain = [target, ...by].every((word) => /^[\w./:@-]+$/.test(word)) && !target.startsWith("-");
  return isKnown && isPlain ? `biplane rollout ${words.join(" ")}` : undefined;
}

const maxCauses = 3;
