import type { JSX } from "preact";
import type { Figures } from "../../../../src/desk/contract.ts";
import { Figure } from "../../components/page.tsx";
import { count, decimal, percent, plural } from "../../format.ts";
import { href } from "../../router.ts";

/** How the house does, second by second. */
export function Health({ figures }: { readonly figures: Figures }): JSX.Element {
  const { callsPerSecond, calls, errors, running, approvalsWaiting, episodes, sessions, minute } = figures;
  const recentErrors = minute.reduce((sum, second) => sum + second.errors, 0);
  return (
    <section class="health" aria-label="How it does">
      <div class="figure health-pulse">
        <span class="figure-title">Calls per second</span>
        <span class="figure-value">{decimal(callsPerSecond, 1)}</span>
        <span class="figure-about">
          {plural(calls, "call")} since the start, {count(running)} under way
        </span>
        <Pulse minute={minute} />
        <span class="figure-about pulse-key">
          <span>a minute ago</span>
          <span class="tone-bad">
            <span class="chart-key" aria-hidden="true" /> failed
          </span>
          <span>now</span>
        </span>
      </div>
      <div class="health-figures">
        <Figure
          title="Errors"
          value={count(recentErrors)}
          tone={recentErrors > 0 ? "bad" : undefined}
          about={calls === 0 ? "in the last minute" : `in the last minute; ${percent(errors / calls)} of all calls`}
          href={href("live", [], { outcome: "failed" })}
        />
        <Figure
          title="Approvals waiting"
          value={count(approvalsWaiting)}
          tone={approvalsWaiting > 0 ? "warn" : undefined}
          about={approvalsWaiting > 0 ? "Agents wait for your word" : "Nobody waits for you"}
          href={href("approvals")}
        />
        <Figure title="Episodes" value={count(episodes)} about="open now" href={href("episodes")} />
        <Figure title="Connections" value={count(sessions)} about="MCP sessions" href={href("connections")} />
      </div>
    </section>
  );
}

/** A bar for each second of the last minute; what failed is red. */
function Pulse({ minute }: { readonly minute: Figures["minute"] }): JSX.Element {
  const seconds = [...Array.from({ length: Math.max(0, 60 - minute.length) }, () => still), ...minute].slice(-60);
  const most = Math.max(4, ...seconds.map(({ calls }) => calls));
  const sum = seconds.reduce((all, { calls }) => all + calls, 0);
  const label = `The last minute: ${plural(sum, "call")}, ${Math.max(...seconds.map(({ calls }) => calls))} at most in a second`;
  return (
    <svg class="pulse" viewBox="0 0 600 100" preserveAspectRatio="none" role="img" aria-label={label}>
      {seconds.map(({ calls, errors }, at) => {
        const height = (calls / most) * 96;
        const bad = (Math.min(errors, calls) / most) * 96;
        return (
          <g key={at}>
            <rect class="pulse-ground" x={at * 10 + 1} y="97" width="8" height="3" />
            <rect class="pulse-calls" x={at * 10 + 1} y={97 - height} width="8" height={height} />
            <rect class="pulse-errors" x={at * 10 + 1} y={97 - bad} width="8" height={bad} />
          </g>
        );
      })}
    </svg>
  );
}

const still = { calls: 0, errors: 0 };
