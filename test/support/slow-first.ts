import { BaseSequencer } from "vitest/node";
import type { TestSpecification } from "vitest/node";

/** Starts the files that take longest first, so that none of them runs alone at the end. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => placeOf(one) - placeOf(other));
  }
}

function placeOf({ moduleId }: TestSpecification): number {
  const place = slowest.findIndex((name) => moduleId.includes(name));
  return place === -1 ? slowest.length : place;
}

/** Vitest knows how long files took only after a first run. */
const slowest = [
  "workers/queue",
  "workers/deaths",
  "fleet/chaos",
  "event-loop/tools",
  "page/runs",
  "cli/app",
  "event-loop/formats",
  "package.process",
  "cli/init",
  "examples.process",
  "event-loop/code",
  "workers/kill",
  "code/python/hostile",
];
