import type { JSX } from "preact";
import type { CallViaResult } from "../../../../packages/biplane/src/admin/calls/call-api.ts";
import { Outcome } from "../../components/badge.tsx";
import { Icon } from "../../components/icon.tsx";
import { comparableJson } from "../../components/line-diff.ts";
import { Card } from "../../components/page.tsx";
import { Duration } from "../../components/time.tsx";
import { CallLink } from "./call-link.tsx";
import { viaLabels } from "./via.tsx";

/** True if outcome and result are identical for all transports. */
export function isSame(results: readonly CallViaResult[]): boolean {
  const [first, ...others] = results.map(({ outcome, result }) => comparableJson([outcome, result]));
  return others.every((each) => each === first);
}

/** Compares the outcome, duration and result of all transports. */
export function Comparison({ results }: { readonly results: readonly CallViaResult[] }): JSX.Element {
  const [first] = results;
  const slowest = Math.max(...results.map(({ durationMs }) => durationMs), 0.001);
  const areSame = isSame(results);
  return (
    <Card isFlush>
      <div class={areSame ? "tools-verdict tools-verdict-same" : "tools-verdict tools-verdict-other"} role="status">
        <Icon name={areSame ? "check" : "warn"} />
        {areSame
          ? `Identical results over all ${results.length} transports.`
          : "The results differ. See the differences below."}
      </div>
      <table class="tools-compare">
        <caption class="hidden">Results by transport</caption>
        <thead>
          <tr>
            <th scope="col">Via</th>
            <th scope="col">Outcome</th>
            <th scope="col">Duration</th>
            <th scope="col" class="wide-only">
              Compared with the first
            </th>
            <th scope="col">
              <span class="hidden">Call</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {results.map((result) => (
            <tr key={result.via}>
              <th scope="row">{viaLabels[result.via]}</th>
              <td>
                <Outcome value={result.outcome} />
              </td>
              <td>
                <span class="tools-duration">
                  <span class="tools-duration-bar" style={{ width: `${(result.durationMs / slowest) * 100}%` }} />
                </span>
                <Duration ms={result.durationMs} />
              </td>
              <td class="wide-only muted">
                {result === first ? "–" : first && isSame([first, result]) ? "identical" : "different"}
              </td>
              <td class="end">
                <CallLink result={result} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}
