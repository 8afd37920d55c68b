import { mustExist, routesOf } from "../http/routes.ts";
import type { ApiRoutes } from "../http/routes.ts";
import { ConcurrencyLimit } from "../../governance/people/concurrency-limit.ts";
import { personEntry } from "../../governance/audit/person-entry.ts";
import type { AuditSink, SecretSource } from "@biplane/core/internal";
import { BiplaneError } from "@biplane/core";
import type { EntryPoint } from "../../pack/script/entry-point.ts";
import type { Script } from "../../pack/script/script.ts";
import type { Principal, Server } from "@biplane/core";
import { requireScope } from "../overview/served.ts";
import { scriptOperations } from "./script-api.ts";
import type { ScriptRun } from "./script-api.ts";
import type { ScriptReview } from "./script-review.ts";
import { callScript, mustBeApproved, tryScript } from "./script-run.ts";

export interface ScriptRouteParts {
  /** Undefined if no script pack is served. */
  readonly review?: ScriptReview | undefined;
  /** The server with the pack, for live runs. Undefined disables them. */
  readonly server?: Server | undefined;
  readonly audit?: AuditSink | undefined;
  readonly secrets?: SecretSource | undefined;
}

/** Lists, reviews and runs scripts. */
export function scriptRoutes(parts: ScriptRouteParts): ApiRoutes {
  const { review } = parts;
  const trials = new ConcurrencyLimit({ running: maxTrials, tooMuch: tooManyTrials });
  const scriptNamed = async (name: string) => {
    const there = mustExist(review && (await review.open(name)) && review, noScript);
    return { review: there, script: await there.library.read(name) };
  };
  return routesOf(scriptOperations, {
    "GET /api/scripts": async ({ query }) => (await review?.list(query)) ?? { scripts: [], next: null },
    "GET /api/scripts/:name": async ({ parameters: { name } }) => mustExist(await review?.open(name), noScript),
    "POST /api/scripts/:name/verdict": async ({ by, parameters: { name }, body: { hash, ...decision } }) => {
      const { review, script } = await scriptNamed(name);
      requireUnchanged(script, hash);
      await review.decide(script, decision, by);
      return mustExist(await review.open(name), noScript);
    },
    "POST /api/scripts/:name/run": async ({ by, parameters: { name }, body: { hash, live, ...wanted } }) => {
      const { review, script } = await scriptNamed(name);
      if (hash !== undefined) requireUnchanged(script, hash);
      const entry = entryPointOf(script, wanted);
      if (!live) return trials.run(() => tryAndRecord(script, entry, { ...parts, review, by }));
      if (!parts.server) throw new BiplaneError("NOT_SUPPORTED", "No script pack is served. Run it without live.");
      requireScope(by, "tools");
      mustBeApproved(script, await review.approvalState(script));
      return callScript(script, entry, { server: parts.server, settings: review.settings, by });
    },
  });
}

const noScript = "There is no such script.";

/** People can only decide about what they have seen. */
function requireUnchanged({ file, sha256 }: Script, seen: string): void {
  if (sha256 === seen) return;
  throw new BiplaneError(
    "CONFLICT",
    `${file} has changed since you opened it. Its SHA-256 is now ${sha256}. Review it again.`,
  );
}

/**
 * A list is passed by position to `main` or the named function. An object is passed by name to the function of the
 * script's own tool.
 */
function entryPointOf({ header }: Script, { input, function: named }: Wanted): EntryPoint {
  if (input === undefined || input === null) return { function: named };
  if (isList(input)) return { function: named, args: input };
  if (Object.keys(input).length === 0) return { function: named };
  return { function: named ?? header.function ?? "main", named: input };
}

interface Wanted {
  readonly input?: readonly unknown[] | Readonly<Record<string, unknown>> | null;
  readonly function?: string;
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/** Each trial has a worker of its own. */
const maxTrials = 2;

function tooManyTrials(): BiplaneError {
  return new BiplaneError("CAPACITY", `${maxTrials} trial runs are already active. Wait for one to end.`);
}

type TrialParts = Pick<ScriptRouteParts, "audit" | "secrets"> & {
  readonly review: ScriptReview;
  readonly by: Principal;
};

/** A trial is not a tool call, so it is audited here. */
async function tryAndRecord(
  script: Script,
  entry: EntryPoint,
  { review, audit, secrets, by }: TrialParts,
): Promise<ScriptRun> {
  const redactor = secrets?.redactor();
  const run = await tryScript(script, entry, review.settings);
  const clean = redactor ? redactor.value(run) : run;
  const { outcome, message, durationMs } = clean;
  const input = { script: script.file, sha256: script.sha256, ...entry };
  await audit?.record({
    ...personEntry("scripts/try", { input: redactor ? redactor.value(input) : input, by }),
    outcome,
    message: message ?? undefined,
    durationMs,
  });
  return clean;
}
