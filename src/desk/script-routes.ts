import { found, notFound, problem } from "../admin/api/answers.ts";
import { fieldsOf, pageOf, textIn } from "../admin/api/input.ts";
import type { Routes } from "../admin/api/router.ts";
import type { Verdict } from "../admin/approvals/approval.ts";
import { personEntry } from "../admin/audit/person-entry.ts";
import type { AuditSink } from "../call/audit.ts";
import type { SecretSource } from "../call/redaction.ts";
import { BiplaneError } from "../errors.ts";
import type { Entry } from "../pack/script/entry.ts";
import type { Script } from "../pack/script/script.ts";
import type { DoorAnswer } from "../server/doors.ts";
import type { Server } from "../server/server.ts";
import type { Principal } from "../tool/call.ts";
import type { ScriptRun } from "./contract.ts";
import type { ScriptDesk } from "./script-desk.ts";
import { callScript, mustBeApproved, tryScript } from "./script-run.ts";

export interface ScriptRouteParts {
  /** Left out where no script pack is served: then there are none. */
  readonly desk?: ScriptDesk | undefined;
  /** What has the pack, for runs that are real. Left out: there are none. */
  readonly server?: Pick<Server, "perform"> | undefined;
  readonly audit?: AuditSink | undefined;
  readonly secrets?: SecretSource | undefined;
}

/** Scripts to look at, decide about and try out. */
export function scriptRoutes(parts: ScriptRouteParts): Routes {
  const { desk } = parts;
  const scope = "approvals";
  const trials = new Trials();
  return {
    "GET /api/scripts": {
      scope,
      run: async ({ request }) => found((await desk?.list(pageOf(request))) ?? { scripts: [], next: null }),
    },
    "GET /api/scripts/:name": {
      scope,
      run: async ({ parameters: { name = "" } }) => opened(await desk?.open(name)),
    },
    "POST /api/scripts/:name/verdict": {
      scope,
      run: async ({ by, parameters: { name = "" }, request: { body } }) => {
        const { hash, ...rest } = fieldsOf(body, ["verdict", "hash", "reason"]);
        const verdict = verdictIn(rest);
        const seen = hashIn(hash);
        if (!desk || !(await desk.open(name))) return noScript;
        const script = await desk.library.read(name);
        if (script.sha256 !== seen) return changed(script);
        await desk.decide(script, verdict, by);
        return opened(await desk.open(name));
      },
    },
    "POST /api/scripts/:name/run": {
      scope,
      run: async ({ by, parameters: { name = "" }, request: { body } }) => {
        const { input, function: wanted, hash, live = false } = fieldsOf(body, ["input", "function", "hash", "live"]);
        if (typeof live !== "boolean") throw new BiplaneError("INVALID_INPUT", "live must be true or false");
        const seen = hash === undefined ? undefined : hashIn(hash);
        if (!desk || !(await desk.open(name))) return noScript;
        const script = await desk.library.read(name);
        if (seen !== undefined && script.sha256 !== seen) return changed(script);
        const entry = entryIn(script, { input, wanted });
        if (!live) return found(await trials.run(() => tryAndRecord(script, entry, { ...parts, desk, by })));
        if (!parts.server) throw new BiplaneError("NOT_SUPPORTED", "Nothing here runs scripts; try it without live");
        if (!["*", "tools"].some((needed) => by.scopes.includes(needed)))
          throw new BiplaneError("POLICY_DENIED", `${by.id} lacks the scope tools, so the run cannot be live`);
        mustBeApproved(script, await desk.standing(script));
        return found(await callScript(script, entry, { server: parts.server, settings: desk.settings, by }));
      },
    },
  };
}

const noScript = notFound("There is no such script");

function opened(script: object | undefined): DoorAnswer {
  return script ? found(script) : noScript;
}

/** What a person has not seen he cannot decide about. */
function changed({ file, sha256 }: Script): DoorAnswer {
  return problem(409, "CONFLICT", `${file} is not what you looked at: its sha256 is ${sha256} now. Look again`);
}

function hashIn(hash: unknown): string {
  if (typeof hash === "string" && /^[0-9a-f]{64}$/.test(hash)) return hash;
  throw new BiplaneError("INVALID_INPUT", "hash must be the sha256 of the script as it was shown: 64 hex digits");
}

function verdictIn({ verdict, reason }: { verdict?: unknown; reason?: unknown }): Verdict {
  if (verdict === "approve" && reason === undefined) return { verdict };
  if (verdict === "reject") return { verdict, reason: textIn(reason, "reason") };
  throw new BiplaneError("INVALID_INPUT", "verdict must be approve, or reject with a reason");
}

/** A list is given in order to `main` or the named function, an object by name to what the script's own tool calls. */
function entryIn({ header }: Script, { input, wanted }: { input: unknown; wanted: unknown }): Entry {
  const named = wanted === undefined ? undefined : textIn(wanted, "function");
  if (input === undefined || input === null) return { function: named };
  if (Array.isArray(input)) return { function: named, args: input };
  if (typeof input !== "object")
    throw new BiplaneError("INVALID_INPUT", "input must be a list of arguments, or an object of named ones");
  if (Object.keys(input).length === 0) return { function: named };
  return { function: named ?? header.function ?? "main", named: input as Record<string, unknown> };
}

/** Each trial has a worker of its own. */
class Trials {
  #running = 0;

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= mostTrials)
      throw new BiplaneError("CAPACITY", `${mostTrials} scripts are being tried already; wait for one to end`);
    this.#running++;
    try {
      return await work();
    } finally {
      this.#running--;
    }
  }
}

const mostTrials = 2;

type Trying = Pick<ScriptRouteParts, "audit" | "secrets"> & { readonly desk: ScriptDesk; readonly by: Principal };

/** A trial is no call of a tool, so it gets its line in the log here. */
async function tryAndRecord(script: Script, entry: Entry, { desk, audit, secrets, by }: Trying): Promise<ScriptRun> {
  const redactor = secrets?.redactor();
  const run = await tryScript(script, entry, desk.settings);
  const clean = redactor ? redactor.value(run) : run;
  const { outcome, message, durationMs } = clean;
  const input = { script: script.file, sha256: script.sha256, ...entry };
  await audit?.record({
    ...personEntry("scripts/try", redactor ? redactor.value(input) : input, by),
    outcome,
    message: message ?? undefined,
    durationMs,
  });
  return clean;
}
