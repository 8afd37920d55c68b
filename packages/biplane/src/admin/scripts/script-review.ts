import { createHash } from "node:crypto";
import type { PageQuery } from "../http/input.ts";
import { paginate } from "../http/input.ts";
import type { StandingDecision } from "../../governance/approvals/approval.ts";
import type { Approvals } from "../../governance/approvals/approvals.ts";
import { messageOf } from "@biplane/core/internal";
import { decodeUtf8 } from "../../pack/shared/files/decode-utf8.ts";
import { ScriptChecker } from "../../pack/script/language.ts";
import { ScriptLibrary } from "../../pack/script/library.ts";
import type { ScriptSettings } from "../../pack/script/options.ts";
import { scriptFrom, subjectOf } from "../../pack/script/script.ts";
import type { Script } from "../../pack/script/script.ts";
import { approvalStateOf } from "../../pack/script/approval-state.ts";
import type { ScriptApprovalState } from "../../pack/script/approval-state.ts";
import type { Principal, Store } from "@biplane/core";
import type { ScriptDetail, ScriptSummary } from "./script-api.ts";
import { decisionsOf, approvalStateIn } from "./script-decisions.ts";
import type { ScriptDecisions } from "./script-decisions.ts";
import { ScriptHistory } from "./script-history.ts";
import type { ApprovedSource } from "./script-history.ts";

export interface ScriptReviewParts {
  /** Name of the server that runs the scripts. Decisions are stored under it. */
  readonly server: string;
  readonly settings: ScriptSettings;
  readonly approvals: Approvals;
  readonly store: Store;
}

/** Lets people review scripts, in the terminal and on the page. */
export class ScriptReview {
  readonly server: string;
  readonly settings: ScriptSettings;
  readonly library: ScriptLibrary;
  readonly #approvals: Approvals;
  readonly #history: ScriptHistory;
  readonly #checker = new ScriptChecker();

  constructor({ server, settings, approvals, store }: ScriptReviewParts) {
    this.server = server;
    this.settings = settings;
    this.library = new ScriptLibrary(settings);
    this.#approvals = approvals;
    this.#history = new ScriptHistory(store, server);
  }

  /** A page of scripts by name. Reads only the files of that page. */
  async list(page: PageQuery): Promise<{ scripts: readonly ScriptSummary[]; next: string | null }> {
    const { page: names, next } = paginate(await this.library.names(), (name) => name, page);
    const decisions = await this.#decisions();
    const scripts: ScriptSummary[] = [];
    for (const name of names) {
      const script = await this.#read(name, decisions);
      if (script) scripts.push(script.shown); // It may have been deleted meanwhile.
    }
    return { scripts, next };
  }

  /** Undefined if there is no such script. */
  async open(name: string): Promise<ScriptDetail | undefined> {
    const decisions = await this.#decisions();
    const script = await this.#read(name, decisions);
    if (!script) return undefined;
    const { shown, source } = script;
    const { approved, decisions: history } = await this.#history.of(`${name}.star`, decisions);
    const approvedSource = approved && approved.hash !== shown.hash ? approved.source : null;
    return { ...shown, source, approvedSource, history };
  }

  async approvalState(script: Script): Promise<ScriptApprovalState> {
    return this.#approvalState(script, await this.#decisions());
  }

  async approvedSource({ file }: Script): Promise<ApprovedSource | undefined> {
    return (await this.#history.of(file, await this.#decisions())).approved;
  }

  /** Decides about these bytes, even if the file has changed, for every tool that runs them. */
  async decide(script: Script, verdict: StandingDecision, by: Principal): Promise<void> {
    await this.#history.keep(script.file, await this.#decisions());
    for (const tool of ["script_run", ...this.settings.tools.filter((own) => own === script.name)])
      await this.#approvals.decide({ server: this.server, tool, subject: subjectOf(script) }, verdict, by);
    await this.#history.keep(script.file, await this.#decisions());
  }

  #decisions(): Promise<ScriptDecisions> {
    return decisionsOf(this.#approvals, this.server);
  }

  #approvalState(script: Script, decisions: ScriptDecisions): Promise<ScriptApprovalState> {
    const approvals = { stateOf: async (each: Pick<Script, "file" | "sha256">) => approvalStateIn(decisions, each) };
    return approvalStateOf(script, { allowlist: this.settings.allowlist, approvals });
  }

  async #read(name: string, decisions: ScriptDecisions): Promise<{ shown: ScriptSummary; source: string } | undefined> {
    let bytes: Uint8Array | undefined;
    let changedAt: string | null = null;
    try {
      const file = await this.library.file(name);
      if (!file) return undefined;
      bytes = file.bytes;
      changedAt = file.changedAt.toISOString();
      const script = scriptFrom(name, bytes);
      const fault = await this.#checker.faultOf(script);
      const shown = scriptSummary(script, await this.#approvalState(script, decisions), fault);
      return { shown: { ...shown, changedAt }, source: script.source };
    } catch (error) {
      // Show broken scripts as far as they can be read, with the reason.
      const source = bytes && decodeUtf8(bytes);
      const shown = { ...broken, name, hash: hashOf(bytes), changedAt, fault: messageOf(error) };
      return { shown, source: source ?? "" };
    }
  }
}

function scriptSummary(
  { name, sha256: hash, header }: Script,
  { status, by, at, last }: ScriptApprovalState,
  fault: string | undefined,
): Omit<ScriptSummary, "changedAt"> {
  return {
    name,
    description: header.description ?? null,
    hash,
    status: fault === undefined ? status : "broken",
    secrets: header.secrets,
    decidedBy: by ?? null,
    decidedAt: at ?? null,
    lastApproval: last ?? null,
    fault: fault ?? null,
  };
}

const broken = {
  description: null,
  status: "broken",
  secrets: [],
  decidedBy: null,
  decidedAt: null,
  lastApproval: null,
} as const;

function hashOf(bytes: Uint8Array | undefined): string {
  return bytes ? createHash("sha256").update(bytes).digest("hex") : "";
}
