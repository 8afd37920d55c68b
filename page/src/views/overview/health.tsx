import type { JSX } from "preact";
import type { Figures } from "../../../../packages/biplane/src/admin/overview/overview-api.ts";
import { mayRead } from "../../access.ts";
import { deniedOrFailed, failedIn, sumOf } from "../../components/failure-counts.ts";
import { Figure } from "../../components/page.tsx";
import { count, decimal, percent, plural } from "../../format.ts";
import { href } from "../../router.ts";

/** The live figures of the server. */
export function Health({ figures }: { readonly figures: Figures }): JSX.Element {
  const { callsPerSecond, calls, errors, asked, running, waiting, approvalsWaiting, episodes, sessions, minute } =
    figures;
  const recentErrors = sumOf(minute, failedIn);
  const peak = Math.max(0, ...minute.map((second) => second.calls));
  return (
    <section class="health" aria-label="Server health">
      <div class="figure health-rate">
        <span class="figure-title">Calls per second, last 5 s</span>
        <span class="figure-value">{decimal(callsPerSecond, 1)}</span>
        <span class="figure-about">
          {plural(calls, "call")} since start, {count(running)} running
          {waiting > 0 && `, ${count(waiting)} waiting for a person`}
        </span>
        <MinuteChart minute={minute} />
        <span class="figure-about minute-key">
          <span>a minute ago</span>
          <span>now</span>
        </span>
        <span class="figure-about minute-key">
          <span>peak {count(peak)} per second</span>
          {recentErrors > 0 && (
            <span class="tone-bad">
              <span class="chart-key" aria-hidden="true" /> {deniedOrFailed}
            </span>
          )}
        </span>
      </div>
      <div class="health-figures">
        <Figure
          title="Denied or failed"
          value={count(recentErrors)}
          tone={recentErrors > 0 ? "bad" : undefined}
          about={calls === 0 ? "last minute" : `last minute; ${percent((errors - asked) / calls)} since start`}
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
          about="open now"
          href={mayRead("connections") ? href("connections") : undefined}
        />
      </div>
    </section>
  );
}

/** One bar per second of the last minute, with failures in red. */
function MinuteChart({ minute }: { readonly minute: Figures["minute"] }): JSX.Element {
  const seconds = [...Array.from({ length: Math.max(0, 60 - minute.length) }, () => idle), ...minute].slice(-60);
  const max = Math.max(2, ...seconds.map(({ calls }) => calls));
  const sum = seconds.reduce((all, { calls }) => all + calls, 0);
  const label = `Last minute: ${plural(sum, "call")}, at most ${Math.max(...seconds.map(({ calls }) => calls))} per second`;
  return (
    <svg class="minute-chart" viewBox="0 0 600 100" preserveAspectRatio="none" role="img" aria-label={label}>
      {seconds.map((second, at) => {
        const { calls } = second;
        const height = (calls / max) * 96;
        const bad = (Math.min(failedIn(second), calls) / max) * 96;
        return (
          <g key={at}>
            <rect class="minute-base" x={at * 10 + 1} y="97" width="8" height="3" />
            <rect class="minute-calls" x={at * 10 + 1} y={97 - height} width="8" height={height} />
            <rect class="minute-errors" x={at * 10 + 1} y={97 - bad} width="8" height={bad} />
          </g>
        );
      })}
    </svg>
  );
}

const idle = { calls: 0, errors: 0, asked: 0 };
