import type { ComponentChildren, JSX } from "preact";
import type { TraceDetail } from "../../../../packages/biplane/src/admin/runs/trace-api.ts";
import { LinkButton } from "../../components/button.tsx";
import { Card, Facts } from "../../components/page.tsx";
import type { Fact } from "../../components/page.tsx";
import { Text } from "../../components/text.tsx";
import { Duration } from "../../components/time.tsx";
import { count, dollars, plural, precise } from "../../format.ts";
import { useIsWide } from "../../use-is-wide.ts";
import { traceHref } from "../episodes/episode-lineage.tsx";
import { Reward } from "../episodes/reward.tsx";
import { EndingBadge, PassBadge } from "./endings.tsx";
import { RunLetter } from "./run-letter.tsx";
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

/** The letter of a rollout, beside its name. */
export function LetteredTitle(props: { readonly side: number; readonly children: ComponentChildren }): JSX.Element {
  return (
    <span class="compare-title">
      <RunLetter at={props.side} /> <span>{props.children}</span>
    </span>
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
    <LetteredTitle side={side}>
      <SideTitle name={name} trace={trace} />
    </LetteredTitle>
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

/** What the names of the rollouts do not say. */
function factsOf(trace: TraceDetail): readonly Fact[] {
  const { usage, scores } = trace;
  const [score] = scores;
  const facts: readonly (Fact | false)[] = [
    [
      "Reward",
      <span key="reward" class="row">
        <Reward value={trace.reward} /> <PassBadge passed={trace.passed} />
      </span>,
    ],
    score !== undefined && [
      "Score",
      <span key="score">
        {score.score === null ? <span class="muted">none</span> : precise(score.score)}{" "}
        <span class="muted">
          <Text value={score.name} maxLength={60} isFixed />
        </span>
      </span>,
    ],
    [
      "Ending",
      <span key="ended" class="row">
        <EndingBadge reason={trace.reason} isShort /> after {plural(trace.trace.length, "step")}
      </span>,
    ],
    trace.seed !== null &&
      !trace.rowId.endsWith(`_${trace.seed}`) && [
        "Seed",
        <Text key="seed" value={trace.seed} maxLength={40} isFixed />,
      ],
    ["Duration", <Duration key="duration" ms={trace.durationMs} />],
    usage.total_tokens > 0 && ["Tokens", `${count(usage.prompt_tokens)} in, ${count(usage.completion_tokens)} out`],
    trace.cost !== null && ["Cost", dollars(trace.cost)],
  ];
  return facts.filter((fact) => fact !== false);
}
