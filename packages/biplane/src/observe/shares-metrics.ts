import type { Shares } from "@biplane/core/internal";
import type { Family, Sample } from "./exposition.ts";

/** What callers hold, without their names: those are many, and personal. */
export function sharesFamilies(shares: readonly Shares[]): Family[] {
  if (shares.length === 0) return [];
  const samples = (read: (each: Shares) => number): Sample[] =>
    shares.map((each) => ({ labels: { resource: each.what }, value: read(each) }));
  return [
    { name: "biplane_held", help: "What all callers hold", type: "gauge", samples: samples(({ total }) => total) },
    {
      name: "biplane_held_largest",
      help: "What the caller who holds most holds",
      type: "gauge",
      samples: samples(({ largest }) => largest),
    },
    {
      name: "biplane_held_limit",
      help: "The limit for all callers together",
      type: "gauge",
      samples: samples(({ limits }) => limits.total),
    },
    {
      name: "biplane_held_refused_total",
      help: "How often a limit of a caller or of all refused more",
      type: "counter",
      samples: samples(({ refused }) => refused),
    },
  ];
}
