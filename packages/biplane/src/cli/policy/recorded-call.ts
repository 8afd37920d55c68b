import { inputError } from "../command/exit-code.ts";
import { readFile } from "node:fs/promises";
import { isRecord, messageOf, principalKinds, routes } from "@biplane/core/internal";
import { BiplaneError } from "@biplane/core";
import type { AgentContext, Principal, Route } from "@biplane/core";
import { loadConfig } from "../../config/load-config.ts";
import type { LoadOptions } from "../../config/load-config.ts";
import { queryAudit } from "../../governance/audit/query.ts";
import { openApprovals } from "../../governance/approvals/approvals.ts";
import { openPersistentState } from "../../host/state.ts";

/** A call that was made before. */
export interface RecordedCall {
  readonly tool: string;
  /** Without secrets. */
  readonly input: unknown;
  /** The audit log keeps only the start of a very long input. */
  readonly isInputCut: boolean;
  readonly principal: Principal;
  readonly agent: Pick<AgentContext, "agentId" | "model">;
  readonly route: Route;
  readonly time: number | undefined;
  /** Known if the call asked for approval: its server, and the hash of what an approval covers. */
  readonly subject?: { readonly server: string; readonly hash: string } | undefined;
}

/** Finds a call by its number or request id in the audit log, by its approval id, or reads it from a JSON file. */
export async function readRecordedCall(written: string, options: LoadOptions): Promise<RecordedCall> {
  const found = /\.json$/i.test(written) ? await readCallFile(written) : await findStored(written, options);
  const call = recordedCall(found, written);
  return { ...call, principal: { ...call.principal, scopes: await scopesOf(call.principal, options) } };
}

async function readCallFile(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, "utf8"));
  } catch (error) {
    throw new BiplaneError("INVALID_INPUT", `Cannot read the call in ${file}: ${messageOf(error)}`, { cause: error });
  }
}

async function findStored(id: string, options: LoadOptions): Promise<unknown> {
  await using state = await openPersistentState(options);
  const query = /^\d{1,15}$/.test(id) ? { after: Number(id) + 1 } : { requestId: id };
  const [line] = await queryAudit(state.store, { ...query, limit: 1 });
  if (line?.kind === "call" && (line.requestId === id || line.sequence === Number(id))) return line;
  await using approvals = openApprovals({ store: state.store });
  const approval = await approvals.get(id);
  if (approval) return approval;
  throw inputError(
    `No recorded call has the id ${id}. biplane audit show and biplane approvals list --all have the ids.`,
  );
}

/** Reads an audit line, an approval, or an object with the same keys that a person wrote. */
function recordedCall(found: unknown, written: string): RecordedCall {
  const call = isRecord(found) ? found : {};
  const { tool, input = call["arguments"] ?? {}, server, hash, question } = call;
  if (typeof tool !== "string") throw inputError(`${written} is no call: it needs a tool, such as {"tool":"refund"}.`);
  const agent = isRecord(call["agent"]) ? call["agent"] : {};
  const isApproval = typeof question === "string" && typeof server === "string" && typeof hash === "string";
  return {
    tool,
    input,
    isInputCut: call["isInputCut"] === true,
    principal: principalOf(call["principal"]),
    agent: {
      agentId: typeof agent["agentId"] === "string" ? agent["agentId"] : "unknown",
      model: typeof agent["model"] === "string" ? agent["model"] : undefined,
    },
    route: routes.find((each) => each === call["route"]) ?? "mcp",
    time: timeOf(call["time"] ?? call["askedAt"]),
    ...(isApproval && { subject: { server, hash } }),
  };
}

function principalOf(written: unknown): Principal {
  const { kind, id, scopes } = isRecord(written) ? written : {};
  const known = principalKinds.find((each) => each === kind);
  const given = Array.isArray(scopes) ? scopes.filter((scope) => typeof scope === "string") : [];
  if (!known || typeof id !== "string") return { kind: "local", id: "you", scopes: given };
  return { kind: known, id, scopes: given };
}

function timeOf(written: unknown): number | undefined {
  const time = typeof written === "string" ? Date.parse(written) : written;
  return typeof time === "number" && Number.isFinite(time) ? time : undefined;
}

/** Scopes are not recorded. Those of a configured token are known, if the config can be read here. */
async function scopesOf({ kind, id, scopes }: Principal, options: LoadOptions): Promise<readonly string[]> {
  if (scopes.length > 0) return scopes;
  const { file } = options;
  const loaded = await loadConfig({ file, only: ["auth"] }).catch(() => undefined);
  const token = loaded?.config.auth.tokens?.find((each) => each.id === id && each.kind === kind);
  return token?.scopes ?? [];
}
