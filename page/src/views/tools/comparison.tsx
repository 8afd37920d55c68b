import type { JSX } from "preact";
import type { WayAnswer } from "../../../../src/desk/contract.ts";
import { Outcome } from "../../components/badge.tsx";
import { Icon } from "../../components/icon.tsx";
import { comparableJson } from "../../components/line-diff.ts";
import { Card } from "../../components/page.tsx";
import { Duration } from "../../components/time.tsx";
import { CallLink } from "./call-link.tsx";
import { wayTitles } from "./ways.tsx";

/** Whether all came to the same: the outcome and the result, whatever the wire made of them. */
export function isSame(answers: readonly WayAnswer[]): boolean {
  const [first, ...others] = answers.map(({ outcome, result }) => comparableJson([outcome, result]));
  return others.every((each) => each === first);
}

/** All ways at a glance: what each came to, how long it took, and whether it is the same. */
export function Comparison({ answers }: { readonly answers: readonly WayAnswer[] }): JSX.Element {
  const [first] = answers;
  const slowest = Math.max(...answers.map(({ durationMs }) => durationMs), 0.001);
  const areSame = isSame(answers);
  return (
    <Card isFlush>
      <div class={areSame ? "tools-verdict tools-verdict-same" : "tools-verdict tools-verdict-other"} role="status">
        <Icon name={areSame ? "check" : "warn"} />
        {areSame
          ? `The wire does not matter: all ${answers.length} ways came to the same.`
          : "Not all ways came to the same: see below where they part."}
      </div>
      <table class="tools-compare">
        <caption class="hidden">What each way came to</caption>
        <thead>
          <tr>
            <th scope="col">Way</th>
            <th scope="col">Outcome</th>
            <th scope="col">Took</th>
            <th scope="col" class="wide-only">
              Compared with the first
            </th>
            <th scope="col">
              <span class="hidden">Call</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {answers.map((answer) => (
            <tr key={answer.way}>
              <th scope="row">{wayTitles[answer.way]}</th>
              <td>
                <Outcome value={answer.outcome} />
              </td>
              <td>
                <span class="tools-took">
                  <span class="tools-took-bar" style={{ width: `${(answer.durationMs / slowest) * 100}%` }} />
                </span>
                <Duration ms={answer.durationMs} />
              </td>
              <td class="wide-only muted">
                {answer === first ? "–" : first && isSame([first, answer]) ? "the same" : "not the same"}
              </td>
              <td class="end">
                <CallLink answer={answer} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}
