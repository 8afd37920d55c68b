import { BaseSequencer } from "vitest/node";
import type { TestSpecification } from "vitest/node";

/**
 * Starts the files of each project that take longest first, so that none of them runs alone at the end. Projects stay
 * one after the other: a worker ends when the next file is of another project, with its modules and its browser.
 */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const projects = [...new Set(sorted.map(({ project }) => project.name))];
    return sorted.toSorted(
      (one, other) =>
        projects.indexOf(one.project.name) - projects.indexOf(other.project.name) || placeOf(one) - placeOf(other),
    );
  }
}

function placeOf({ moduleId }: TestSpecification): number {
  const place = slowest.findIndex((name) => moduleId.includes(name));
  return place === -1 ? slowest.length : place;
}

/** Vitest knows how long files took only after a first run. */
const slowest = [
  "cli/package/image",
  "new-user",
  "workers/deaths",
  "workers/queue",
  "cli/package/bundle",
  "package.process",
  "event-loop/",
  "fleet/chaos",
  "examples.process",
  "release.process",
  "workers/kill",
  "cli/init",
  "docs/",
  "code/journal",
  "soak/fairness",
  "single-file",
  "designs/openenv-codeact",
  "cli/terminal/failures",
  "cli/app",
  "page/trace",
  "page/access",
  "page/foundation",
  "page/runs",
  "page/approval",
  "page/run-table",
  "page/episodes",
  "code/python/hostile",
  "code/hostile",
  "code/fuzz",
  "code/shares",
  "pack/repl",
  "admin/events",
  "admin/episodes",
  "governance/approvals/approvals",
];
