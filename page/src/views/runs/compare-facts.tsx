import type { JSX } from "preact";
import type { TraceDetail } from "../../../../packages/biplane/src/admin/runs/trace-api.ts";
import { LinkButton } from "../../components/button.tsx";
import { Card, Facts } from "../../components/page.tsx";
import type { Fact } from "../../components/page.tsx";
import { Text } from "../../components/text.tsx";
import { Duration } from "../../components/time.tsx";
import { plural } from "../../format.ts";
import { useIsWide } from "../../use-is-wide.ts";
import { traceHref } from "../episodes/episode-lineage.tsx";
import { Reward } from "../episodes/reward.tsx";
import { EndingBadge } from "./endings.tsx";
import { RunLetter } from "./run-letter.tsx";
import { AgentName } from "./run-name.tsx";
import type { SideNames } from "./side-names.ts";
import { SideTitle } from "./side-title.tsx";

interface CompareFactsProps {
  readonly left: TraceDetail;
  readonly right: TraceDetail;
  readonly names: SideNames;
  readonly at: number;
}

/** How both rollouts went: a card for each, or one table on a phone. */
export function CompareFacts({ left, right, names, at }: CompareFactsProps): JSX.Element {
  const isWide = useIsWide(720);
  if (!isWide) return <FactsTable left={left} right={right} names={names} at={at} />;
  return (
    <div class="split compare-sides">
      {([left, right] as const).map((trace, side) => (
        <Side key={side} trace={trace} at={at} side={side} name={names[side] ?? ""} />
      ))}
    </div>
  );
}

interface SideProps {
  readonly trace: TraceDetail;
  readonly at: number;
  /** 0 for the left one. */
  readonly side: number;
  readonly name: string;
}

function Side({ trace, at, side, name }: SideProps): JSX.Element {
  const title = (
    <>
      <RunLetter at={side} /> <SideTitle name={name} trace={trace} />
    </>
  );
  return (
    <Card title={title} actions={<OpenLink trace={trace} at={at} />}>
      <Facts facts={factsOf(trace)} />
    </Card>
  );
}

function FactsTable({ left, right, names, at }: CompareFactsProps): JSX.Element {
  const others = new Map(factsOf(right));
  return (
    <Card title="Both rollouts" isFlush>
      <table class="compare-facts" aria-label="Both rollouts">
        <thead>
          <tr>
            <td />
            {names.map((name, side) => (
              <th key={name} scope="col">
                <RunLetter at={side} />
                <SideTitle name={name} trace={side === 0 ? left : right} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {factsOf(left).map(([name, value]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{value}</td>
              <td>{others.get(name)}</td>
            </tr>
          ))}
          <tr>
            <td />
            <td>
              <OpenLink trace={left} at={at} />
            </td>
            <td>
              <OpenLink trace={right} at={at} />
            </td>
          </tr>
        </tbody>
      </table>
    </Card>
  );
}

function OpenLink({ trace, at }: { readonly trace: TraceDetail; readonly at: number }): JSX.Element {
  const step = Math.min(at, trace.trace.length);
  return (
    <LinkButton size="small" href={traceHref(trace.id, step)}>
      {step === 0 ? "Open" : `Open at step ${step}`}
    </LinkButton>
  );
}

function factsOf(trace: TraceDetail): readonly Fact[] {
  return [
    ["Reward", <Reward key="reward" value={trace.reward} />],
    [
      "Ending",
      <span key="ended" class="row">
        <EndingBadge reason={trace.reason} /> after {plural(trace.trace.length, "step")}
      </span>,
    ],
    ["Agent", <AgentName key="agent" agent={trace.agent} model={trace.model} />],
    [
      "Row",
      <span key="row">
        <Text value={trace.rowId} maxLength={80} isFixed />
        {trace.seed !== null && (
          <span class="muted">
            , seed <Text value={trace.seed} maxLength={40} isFixed />
          </span>
        )}
      </span>,
    ],
    ["Duration", <Duration key="duration" ms={trace.durationMs} />],
  ];
}
