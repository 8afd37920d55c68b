import { BiplaneError } from "@biplane/core";
import { tryParseJson } from "@biplane/core/internal";
import { shownStatus } from "../../store/runs/run.ts";
import type { PageQuery } from "../http/input.ts";
import type { RunOrder } from "./run-api.ts";
import type { FoundTotals } from "./run-repository.ts";

interface OrderedPage extends PageQuery {
  /** A column, with `-` for descending. */
  readonly order: RunOrder | `-${RunOrder}`;
}

/** A page of runs in any order. Runs without a value come last, and equal ones are newest first. */
export function pageOfRuns(
  runs: readonly FoundTotals[],
  { order, after, limit }: OrderedPage,
): { readonly page: readonly FoundTotals[]; readonly next: string | null } {
  const isDescending = order.startsWith("-");
  const value = values[order.replace("-", "") as RunOrder];
  const compare = comparison(isDescending);
  const keyed = runs
    .map((found) => ({ found, key: [value(found), Date.parse(found.run.startedAt) || 0, found.run.id] as RunKey }))
    .sort((one, other) => compare(one.key, other.key));
  const start = after === undefined ? undefined : readKey(after);
  const rest = start ? keyed.filter(({ key }) => compare(key, start) > 0) : keyed;
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  return {
    page: page.map(({ found }) => found),
    next: last && rest.length > limit ? JSON.stringify(last.key) : null,
  };
}

type RunKey = readonly [value: string | number | null, startedAt: number, id: string];

const values: Readonly<Record<RunOrder, (found: FoundTotals) => RunKey[0]>> = {
  started: ({ run }) => Date.parse(run.startedAt) || 0,
  name: ({ run }) => (run.name ?? run.target).toLowerCase(),
  status: ({ run }) => shownStatus(run),
  model: ({ run }) => (run.model === "unknown" ? run.agent : run.model).toLowerCase(),
  rollouts: ({ run }) => run.finished,
  failed: ({ run }) => run.failed,
  reward: ({ totals }) => totals?.mean ?? null,
  pass: ({ totals }) => totals?.passRate ?? null,
  score: ({ score }) => score?.mean ?? null,
  tokens: ({ totals }) => totals?.tokens || null,
  cost: ({ totals }) => totals?.cost ?? null,
  duration: ({ run: { startedAt, endedAt } }) =>
    endedAt === undefined ? null : Date.parse(endedAt) - Date.parse(startedAt),
};

function comparison(isDescending: boolean): (one: RunKey, other: RunKey) => number {
  const inOrder = (one: string | number, other: string | number) =>
    one === other ? 0 : one < other === isDescending ? 1 : -1;
  return ([a, startedA, idA], [b, startedB, idB]) => {
    if (a === null || b === null) {
      if (a !== b) return a === null ? 1 : -1;
    } else if (a !== b) return inOrder(a, b);
    return startedB - startedA || (idA === idB ? 0 : idA < idB ? 1 : -1);
  };
}

function readKey(after: string): RunKey {
  const key = tryParseJson(after);
  const [value, startedAt, id, ...more] = Array.isArray(key) ? (key as unknown[]) : [];
  const isValue = value === null || typeof value === "string" || typeof value === "number";
  if (isValue && typeof startedAt === "number" && typeof id === "string" && more.length === 0)
    return [value, startedAt, id];
  throw new BiplaneError("INVALID_INPUT", "`after` must be the `next` value of the previous page.");
}
