import { serverOf } from "@biplane/core/internal";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { server } from "biplane";
import type { Principal, Server } from "biplane";
import { openStore } from "biplane/store";
import { openApprovals } from "../../../packages/biplane/src/governance/approvals/approvals.ts";
import type { Approvals, ApprovalsOptions } from "../../../packages/biplane/src/governance/approvals/approvals.ts";
import { LiveCall } from "../../../packages/core/src/call/live-call.ts";
import type { Outcome } from "../../../packages/core/src/call/outcome.ts";
import { scriptApprovals } from "../../../packages/biplane/src/admin/scripts/script-decisions.ts";
import type { ScriptPackOptions } from "../../../packages/biplane/src/pack/script/options.ts";
import { scriptPack } from "../../../packages/biplane/src/pack/script/pack.ts";
import { scriptFrom, subjectOf } from "../../../packages/biplane/src/pack/script/script.ts";
import type { SqlStore } from "biplane/store";

export const ada: Principal = { kind: "person", id: "ada", scopes: [] };
export const agent: Principal = { kind: "token", id: "agent", scopes: [] };

/** A server with a folder of scripts, and the queue where people approve them. */
export interface Gateway extends AsyncDisposable {
  readonly root: string;
  readonly server: Server;
  readonly approvals: Approvals;
  readonly store: SqlStore;
  write(name: string, source: string): void;
  /** Lets exactly this text run under this name, from now on. */
  approve(name: string, source: string, tool?: string): Promise<void>;
  /** The call of an agent that does not wait: the value of the script, or the error. */
  run(name: string, more?: object): Promise<unknown>;
  call(tool: string, input: unknown): Promise<unknown>;
  outcome(tool: string, input: unknown): Promise<Outcome>;
}

export interface GatewayOptions extends Partial<ScriptPackOptions> {
  readonly scripts?: Readonly<Record<string, string>>;
  readonly approval?: Partial<ApprovalsOptions>;
  /** What happens between the moment a call is approved and its run. */
  readonly onApproved?: () => Promise<void> | void;
}

export async function openGateway(given: GatewayOptions = {}): Promise<Gateway> {
  const { scripts = {}, approval = {}, onApproved, ...options } = given;
  const root = mkdtempSync(join(tmpdir(), "biplane-scripts-"));
  const write = (name: string, source: string) => writeFileSync(join(root, `${name}.star`), source);
  for (const [name, source] of Object.entries(scripts)) write(name, source);
  const store = approval.store ?? (await openStore(":memory:"));
  const approvals = openApprovals({ pollMs: 5, ...approval, store });
  const mine = server({
    name: "gateway",
    version: "1",
    packs: [scriptPack({ workers: 1, approvals: scriptApprovals(approvals, "gateway"), ...options, root })],
    approver: {
      approve: async (request) => {
        const approved = await approvals.approve(request);
        await onApproved?.();
        return approved;
      },
    },
    limits: false,
    store,
    onFault: () => undefined,
  });
  const call = (tool: string, input: unknown) => mine.call(tool, input, { principal: agent, patienceMs: 0 });
  return {
    root,
    server: mine,
    approvals,
    store,
    write,
    call,
    approve: (name, source, tool = "script_run") =>
      approvals.decide(
        { server: "gateway", tool, subject: subjectOf(scriptFrom(name, Buffer.from(source))) },
        { verdict: "approve" },
        ada,
      ),
    run: async (name, more = {}) => ((await call("script_run", { name, ...more })) as { value: unknown }).value,
    outcome: async (tool, input) => {
      const caller = { agentId: "test", model: undefined, requestId: "1", metadata: {} };
      return serverOf(mine).perform(
        new LiveCall({ tool, input, route: "mcp", agent: caller, principal: agent, patienceMs: 0 }),
      );
    },
    async [Symbol.asyncDispose]() {
      await mine.close();
      await approvals.close();
      await store.close();
      rmSync(root, { recursive: true });
    },
  };
}

export function sha256(source: string): string {
  return createHash("sha256").update(source).digest("hex");
}
