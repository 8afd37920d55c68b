import type { JSX } from "preact";
import type { RunDetail } from "../../../../packages/biplane/src/admin/runs/run-api.ts";
import { LineChart } from "../../components/chart/line-chart.tsx";
import { memo } from "../../components/memo.ts";
import { Card } from "../../components/page.tsx";
import { pageLocation, setQuery } from "../../router.ts";
import { hasOnlyFailed } from "./all-failed.tsx";
import { Distribution } from "./distribution.tsx";
import { EndingBars } from "./endings.tsx";

/** The rewards and endings of a run. Selecting a column or an ending filters its rollouts. */
export function RunCharts({ run }: { readonly run: RunDetail }): JSX.Element | null {
  const { reason = "", least, most, below } = pageLocation.value.query;
  // The banner says why there is no reward.
  const hasRewards = run.distribution.length > 0 || !hasOnlyFailed(run);
  if (!hasRewards && Object.keys(run.reasons).length === 1) return null;
  if (!hasRewards) return <Endings run={run} chosen={reason} />;
  return (
    <div class="run-charts">
      <Curve curve={run.curve} />
      <Card title="Reward distribution">
        <Distribution
          bins={run.distribution}
          isChosen={({ from, to }) =>
            least === String(from) && (from === to ? most === String(to) : below === String(to))
          }
          onChoose={({ from, to }) => {
            const isOff = least === String(from) && (most === String(to) || below === String(to));
            setQuery({
              least: isOff ? undefined : from,
              most: isOff || from !== to ? undefined : to,
              below: isOff || from === to ? undefined : to,
            });
          }}
        />
      </Card>
      {(Object.keys(run.reasons).length !== 1 || reason !== "") && <Endings run={run} chosen={reason} />}
    </div>
  );
}

function Endings({ run, chosen }: { readonly run: RunDetail; readonly chosen: string }): JSX.Element {
  return (
    <Card title="Endings">
      {Object.keys(run.reasons).length === 0 ? (
        <p class="muted">No rollout has finished yet.</p>
      ) : (
        <EndingBars reasons={run.reasons} chosen={chosen} onChoose={(reason) => setQuery({ reason })} />
      )}
    </Card>
  );
}

/** Memoized, because filters do not change it. */
const Curve = memo(({ curve }: Pick<RunDetail, "curve">) => {
  const mean = { name: "running mean", points: curve.map(({ rollouts, running }) => ({ x: rollouts, y: running })) };
  const each = curve.map(({ rollouts, reward }) => ({ x: rollouts, y: reward }));
  // Points at 0 and 1 would leave the mean little space.
  const isShare = each.every(({ y }) => y === 0 || y === 1);
  return (
    <Card title="Reward over the run" class="run-curve">
      <LineChart
        label="Reward by rollout"
        series={isShare ? [mean] : [{ name: "each rollout", tone: "plain", isScattered: true, points: each }, mean]}
        marks={
          isShare
            ? { name: "rollout with reward 0", tone: "bad", at: each.filter(({ y }) => y === 0).map(({ x }) => x) }
            : undefined
        }
        xTitle="rollout"
        yTitle="reward"
        height={200}
      />
    </Card>
  );
});
