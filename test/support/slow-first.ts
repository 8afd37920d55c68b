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

/**
 * By the CPU time that they take, the most first. Vitest knows how long files took only after a first run, and on a busy
 * machine it learns what the others did. `new-user` makes what `package` and `single-file` wait for.
 */
const slowest = `
  governance/approvals/approvals environment/laws admin/events wire/ext-tasks designs/eval-protocol-shapes
  pack/files/edits wire/http.test wire/approval.test vault/vault gallery/gymnasium admin/episodes code/python/hostile
  code/hostile code/shares starlark/hostile admin/openapi-hardening pack/web/web pack/calendar/calendar pack/repl
  code/fuzz gallery/lunar admin/traces new-user cli/package/bundle cli/package/image workers/queue
  event-loop/formats docs/tour event-loop/code fleet/chaos cli/init workers/deaths single-file package.process
  event-loop/tools release.process store/approvals examples.process cli/terminal/failures soak/fairness
  workers/kill docs/tutorial vault/sync rollout/model designs/openenv-codeact wire/official-clients docs/testing
  code/journal event-loop/messages governance/secrets cli/app page/access page/runs page/foundation page/trace
  page/approval page/live app/host app/hostile page/run-table page/tools page/episodes event-loop/browser
`
  .trim()
  .split(/\s+/);
