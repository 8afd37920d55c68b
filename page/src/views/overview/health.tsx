import type { JSX } from "preact";
import type { Figures } from "../../../../packages/biplane/src/admin/overview/overview-api.ts";
import { mayRead } from "../../access.ts";
import { failedIn, fiveSecondSums, sumOf } from "../../components/failure-counts.ts";
import { Figure } from "../../components/page.tsx";
import { count, plural } from "../../format.ts";
import { href } from "../../router.ts";

/** The live figures of the server. */
export function Health({ figures }: { readonly figures: Figures }): JSX.Element {
  const { running, waiting, approvalsWaiting, episodes, sessions, minute } = figures;
  const recentErrors = sumOf(minute, failedIn);
  const most = Math.max(0, ...fiveSecondSums(minute, ({ calls }) => calls));
  return (
    <section class="health" aria-label="Server health">
      <div class="figure health-rate">
        <span class="figure-title">Calls in the last minute</span>
        <span class="figure-value">{count(sumOf(minute, ({ calls }) => calls))}</span>
        <span class="figure-about">
          {count(running)} running
          {waiting > 0 && `, ${count(waiting)} waiting for a person`}
        </span>
        <MinuteChart minute={minute} />
        <span class="figure-about minute-key">
          <span>a minute ago</span>
          <span>{most > 0 && `at most ${plural(most, "call")} in 5 s`}</span>
          <span>now</span>
        </span>
      </div>
      <div class="health-figures">
        <Figure
          title="Denied or failed"
          value={count(recentErrors)}
          tone={recentErrors > 0 ? "bad" : undefined}
          about="in the last minute"
          href={mayRead("calls") ? href("live", [], { outcome: "failed" }) : undefined}
        />
        <Figure
          title="Approvals waiting"
          value={count(approvalsWaiting)}
          tone={approvalsWaiting > 0 ? "warn" : undefined}
          about={approvalsWaiting > 0 ? "to be answered" : "nothing to answer"}
          href={mayRead("approvals") ? href("approvals") : undefined}
        />
        <Figure
          title="Episodes"
          value={count(episodes)}
          about="open now"
          href={mayRead("episodes") ? href("episodes") : undefined}
        />
        <Figure
          title="MCP sessions"
          value={count(sessions)}
          about={sessions > 0 ? "open now" : "other clients need none"}
          href={mayRead("connections") ? href("connections") : undefined}
        />
      </div>
    </section>
  );
}

/** A bar for each five seconds of the last minute, with failures in red. */
function MinuteChart({ minute }: { readonly minute: Figures["minute"] }): JSX.Element {
  const calls = fiveSecondSums(minute, (second) => second.calls);
  const failed = fiveSecondSums(minute, failedIn);
  // Without a lowest top, one call would look like many.
  const max = Math.max(5, ...calls);
  const sum = calls.reduce((all, each) => all + each, 0);
  const label = `Last minute: ${plural(sum, "call")}, at most ${Math.max(...calls)} in five seconds`;
  return (
    <svg class="minute-chart" viewBox="0 0 120 100" preserveAspectRatio="none" role="img" aria-label={label}>
      {calls.map((each, at) => {
        const height = (each / max) * 96;
        const bad = (Math.min(failed[at] ?? 0, each) / max) * 96;
        return (
          <g key={at}>
            <rect class="minute-base" x={at * 10 + 0.5} y="98" width="9" height="2" />
            <rect class="minute-calls" x={at * 10 + 0.5} y={98 - height} width="9" height={height} />
            <rect class="minute-errors" x={at * 10 + 0.5} y={98 - bad} width="9" height={bad} />
          </g>
        );
      })}
    </svg>
  );
}
