import { BiplaneError, allow, deny, rules } from "@biplane/core";
import type { Policy, Principal, Rule } from "@biplane/core";
import { noRule } from "@biplane/core/internal";
import type { AuditSink } from "@biplane/core/internal";
import { RepeatedWork } from "../../store/repeated-work.ts";
import type { SqlStore } from "../../store/sql-store.ts";
import { storable } from "../../store/storable.ts";
import type { PolicyVersionRow } from "../../store/tables.ts";
import { personEntry } from "../audit/person-entry.ts";

/** A list of rules that a person published. */
export interface PublishedVersion {
  readonly version: number;
  /** YAML, as it was written. */
  readonly source: string;
  readonly rules: readonly Rule[];
  readonly publishedBy: string;
  readonly publishedAt: string;
  readonly comment: string | null;
}

export interface NewVersion {
  readonly source: string;
  readonly rules: readonly Rule[];
  /** The version that was edited. If another one was published since, publishing fails. */
  readonly base: number;
  readonly comment?: string | undefined;
}

export interface PublishedRulesOptions {
  readonly store: SqlStore;
  readonly audit?: AuditSink | undefined;
  readonly onFault: (fault: unknown) => void;
  /** How often to look for versions that other processes published (default: 2,000). */
  readonly pollMs?: number;
  readonly now?: () => number;
}

/**
 * Rules that live in the store. Calls that no rule matches are left to the policies of the config and of the code, which
 * all apply too: published rules can forbid and ask, but allow nothing that those do not.
 */
export class PublishedRules implements AsyncDisposable {
  readonly #options: PublishedRulesOptions;
  readonly #now: () => number;
  #loading: RepeatedWork | undefined;
  #loaded = 0;
  #policy: Policy = allow;
  #apply: (policy: Policy) => void = () => undefined;

  /** Applies the version in force, without reading the store. */
  readonly policy: Policy;

  constructor(options: PublishedRulesOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    const policy: Policy = (agent, tool, input, context) => {
      const decision = this.#policy(agent, tool, input, context);
      if (decision instanceof Promise || decision.rule === undefined) return decision;
      if (decision.verdict === "allow" && decision.rule === noRule) return allow();
      // Approvals for a rule of the config do not answer a published one of the same name.
      return { ...decision, rule: publishedRuleId(decision.rule) };
    };
    this.policy = Object.defineProperty(policy, "name", { value: "published rules" });
  }

  /**
   * Reads the version in force, and then looks for new ones. `apply` is called once there is one: until then, calls take
   * no time for it. Call this before the first call is made.
   */
  async start(apply: (policy: Policy) => void): Promise<void> {
    this.#apply = apply;
    await this.#load();
    const { pollMs = 2000, onFault } = this.#options;
    this.#loading = new RepeatedWork(() => this.#load(), { everyMs: pollMs, onFault });
  }

  /** The version in force. Undefined if nothing was published yet. */
  async current(): Promise<PublishedVersion | undefined> {
    const [row] = await this.#rows(1);
    return row && versionFrom(row);
  }

  /** Newest first. */
  async history(limit: number): Promise<PublishedVersion[]> {
    return (await this.#rows(limit)).map(versionFrom);
  }

  /** Puts rules into force: here at once, in other processes on the store within two seconds. */
  async publish({ source, rules: list, base, comment }: NewVersion, by: Principal): Promise<PublishedVersion> {
    rules(list);
    const { store, audit } = this.#options;
    const row = await store.transaction("published rules", async (transaction): Promise<PolicyVersionRow> => {
      const last = await lastVersion(transaction);
      if (last !== base)
        throw new BiplaneError(
          "CONFLICT",
          `Version ${last} was published while you edited version ${base}. Load it, and make your changes again.`,
        );
      const next: PolicyVersionRow = {
        version: last + 1,
        source: storable(source),
        rules: storable(JSON.stringify(list)),
        published_by: `${by.kind} ${by.id}`,
        published_at: this.#now(),
        comment: comment === undefined || comment === "" ? null : storable(comment),
      };
      await transaction.insertInto("policy_versions").values(next).execute();
      return next;
    });
    const input = { version: row.version, rules: list, comment };
    await audit?.record(personEntry("policies/publish", { input, by, time: this.#now() }));
    await this.#load();
    return versionFrom(row);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#loading?.[Symbol.asyncDispose]();
  }

  async #load(): Promise<void> {
    const { store, onFault } = this.#options;
    const last = await lastVersion(store.db);
    if (last === this.#loaded) return;
    const [row] = await this.#rows(1);
    if (!row) return;
    try {
      this.#policy = rules(versionFrom(row).rules, { otherwise: "allow" });
    } catch (fault) {
      this.#policy = () => deny("The published rules cannot be read, so the call was denied.", { rule: "unreadable" });
      onFault(fault);
    }
    if (this.#loaded === 0) this.#apply(this.policy);
    this.#loaded = row.version;
  }

  #rows(limit: number): Promise<PolicyVersionRow[]> {
    const newest = this.#options.store.db.selectFrom("policy_versions").selectAll().orderBy("version", "desc");
    return newest.limit(limit).execute();
  }
}

/** What decisions of a published rule are named after. */
export function publishedRuleId(id: string): string {
  return `published/${id}`;
}

async function lastVersion(db: SqlStore["db"]): Promise<number> {
  const last = db.selectFrom("policy_versions").select(({ fn }) => fn.max<number | null>("version").as("version"));
  return (await last.executeTakeFirst())?.version ?? 0;
}

function versionFrom(row: PolicyVersionRow): PublishedVersion {
  const { version, source, published_by: publishedBy, comment } = row;
  const publishedAt = new Date(row.published_at).toISOString();
  return { version, source, rules: JSON.parse(row.rules) as Rule[], publishedBy, publishedAt, comment };
}
