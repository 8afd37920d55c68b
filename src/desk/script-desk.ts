import { createHash } from "node:crypto";
import type { PageQuery } from "../admin/api/input.ts";
import { pageFrom } from "../admin/api/input.ts";
import type { Verdict } from "../admin/approvals/approval.ts";
import type { Approvals } from "../admin/approvals/approvals.ts";
import { messageOf } from "../errors.ts";
import { decodeText } from "../pack/files/decode-text.ts";
import { faultOf } from "../pack/script/language.ts";
import { Library } from "../pack/script/library.ts";
import type { ScriptSettings } from "../pack/script/options.ts";
import { scriptFrom, subjectOf } from "../pack/script/script.ts";
import type { Script } from "../pack/script/script.ts";
import { standingOf } from "../pack/script/standing.ts";
import type { ScriptStatus, Standing } from "../pack/script/standing.ts";
import type { Store } from "../store/store.ts";
import type { Principal } from "../tool/call.ts";
import type { OpenedScript, ShownScript } from "./contract.ts";
import { decisionsOf, standingIn } from "./script-decisions.ts";
import type { ScriptDecisions } from "./script-decisions.ts";
import { ScriptHistory } from "./script-history.ts";
import type { ApprovedSource } from "./script-history.ts";

export interface ScriptDeskParts {
  /** The name of the server that runs the scripts: decisions about them are kept under it. */
  readonly server: string;
  readonly settings: ScriptSettings;
  readonly approvals: Approvals;
  readonly store: Store;
}

/** Where people look at scripts and decide about them, from the terminal and from the page. */
export class ScriptDesk {
  readonly server: string;
  readonly settings: ScriptSettings;
  readonly library: Library;
  readonly #approvals: Approvals;
  readonly #history: ScriptHistory;

  constructor({ server, settings, approvals, store }: ScriptDeskParts) {
    this.server = server;
    this.settings = settings;
    this.library = new Library(settings);
    this.#approvals = approvals;
    this.#history = new ScriptHistory(store, server);
  }

  /** A page of them by name. Only the files of the page are read. */
  async list(page: PageQuery): Promise<{ scripts: readonly ShownScript[]; next: string | null }> {
    const { page: names, next } = pageFrom(await this.library.names(), (name) => name, page);
    const decisions = await this.#decisions();
    const scripts: ShownScript[] = [];
    for (const name of names) {
      const looked = await this.#look(name, decisions);
      if (looked) scripts.push(looked.shown); // else it went away since
    }
    return { scripts, next };
  }

  /** Undefined where there is no such script. */
  async open(name: string): Promise<OpenedScript | undefined> {
    const decisions = await this.#decisions();
    const looked = await this.#look(name, decisions);
    if (!looked) return undefined;
    const { shown, source } = looked;
    const { approved, decisions: history } = await this.#history.of(`${name}.star`, decisions);
    const approvedSource = approved && approved.hash !== shown.hash ? approved.source : null;
    return { ...shown, source, approvedSource, history };
  }

  async standing(script: Script): Promise<Standing> {
    return this.#standing(script, await this.#decisions());
  }

  async approvedSource({ file }: Script): Promise<ApprovedSource | undefined> {
    return (await this.#history.of(file, await this.#decisions())).approved;
  }

  /** Decides about these bytes, whatever the file holds by now, under every name they are called by. */
  async decide(script: Script, verdict: Verdict, by: Principal): Promise<void> {
    await this.#history.keep(script.file, await this.#decisions());
    for (const tool of ["script_run", ...this.settings.tools.filter((own) => own === script.name)])
      await this.#approvals.decide({ server: this.server, tool, subject: subjectOf(script) }, verdict, by);
    await this.#history.keep(script.file, await this.#decisions());
  }

  #decisions(): Promise<ScriptDecisions> {
    return decisionsOf(this.#approvals, this.server);
  }

  #standing(script: Script, decisions: ScriptDecisions): Promise<Standing> {
    const approvals = { standing: async (each: Pick<Script, "file" | "sha256">) => standingIn(decisions, each) };
    return standingOf(script, { allowlist: this.settings.allowlist, approvals });
  }

  async #look(name: string, decisions: ScriptDecisions): Promise<{ shown: ShownScript; source: string } | undefined> {
    let bytes: Uint8Array | undefined;
    try {
      bytes = await this.library.bytes(name);
      if (!bytes) return undefined;
      const script = scriptFrom(name, bytes);
      return { shown: shownScript(script, await this.#standing(script, decisions)), source: script.source };
    } catch (error) {
      // What cannot be used is shown as far as it can be read, with the reason.
      const source = bytes && decodeText(bytes);
      return { shown: { ...broken, name, hash: hashOf(bytes), fault: messageOf(error) }, source: source ?? "" };
    }
  }
}

function shownScript(script: Script, { status, by, at }: Standing): ShownScript {
  const { name, sha256: hash, header } = script;
  const fault = faultOf(script);
  return {
    name,
    description: header.description ?? null,
    hash,
    status: fault === undefined ? words[status] : "broken",
    secrets: header.secrets,
    decidedBy: by ?? null,
    decidedAt: at ?? null,
    fault: fault ?? null,
  };
}

const words = { approved: "approved", rejected: "rejected", modified: "changed", pending: "new" } as const satisfies {
  readonly [Status in ScriptStatus]: ShownScript["status"];
};

const broken = { description: null, status: "broken", secrets: [], decidedBy: null, decidedAt: null } as const;

function hashOf(bytes: Uint8Array | undefined): string {
  return bytes ? createHash("sha256").update(bytes).digest("hex") : "";
}
