import type { JSX } from "preact";
import { LineChart } from "../src/components/chart/line-chart.tsx";
import { Sparkline } from "../src/components/chart/sparkline.tsx";
import { Card } from "../src/components/page.tsx";

const curve = Array.from({ length: 120 }, (_, at) => ({
  x: at * 10,
  y: 1 - Math.exp(-at / 30) + Math.sin(at * 12.9898) * 0.12,
}));

export function Charts(): JSX.Element {
  return (
    <div class="split">
      <Card title="Reward curve">
        <LineChart
          label="Mean reward"
          xTitle="rollouts"
          yTitle="reward"
          series={[
            { name: "reward", points: curve, tone: "plain", isScattered: true },
            { name: "running mean", points: curve.map(({ x }, at) => ({ x, y: 1 - Math.exp(-at / 34) })) },
          ]}
        />
      </Card>
      <Card title="Sparkline">
        <Sparkline values={curve.map(({ y }) => Math.max(0, y))} label="Calls per second, 1.1 at most" />
      </Card>
    </div>
  );
}
