import { serverOf } from "@biplane/core/internal";
import { auditPages } from "../../governance/audit/pages.ts";
import type { AuditLine } from "../../governance/audit/write-line.ts";
import type { LogLine } from "../../store/audit-log.ts";
import { isCallId } from "../../store/calls.ts";
import { getRun, listRuns } from "../../store/runs/run.ts";
import type { StoredRun } from "../../store/runs/run.ts";
import type { AdminParts } from "../admin-parts.ts";
import type { CallSummary } from "../calls/call-api.ts";
import { boundedText } from "../calls/bounded-json.ts";
import { callSummary } from "../calls/call-view.ts";
import type { SearchResult } from "./search-api.ts";

interface SearchSource {
  readonly scope: string;
  find(query: string): Promise<SearchResult[]>;
}

/** What can be searched. Each source reads so many of its newest items, and finds any item by its id. */
export function searchSources(parts: AdminParts): readonly SearchSource[] {
  return [
    { scope: "tools", find: async (query) => findTools(parts, query) },
    { scope: "calls", find: async (query) => (await findCalls(parts, query)).map(callResult) },
    { scope: "runs", find: async (query) => findRuns(parts, query) },
    { scope: "approvals", find: (query) => findApprovals(parts, query) },
    { scope: "episodes", find: async (query) => findEpisodes(parts, query) },
    { scope: "audit", find: (query) => findAudit(parts, query) },
  ];
}

function findTools({ served }: AdminParts, query: string): SearchResult[] {
  const fits = matcher(query);
  return served.flatMap((each) => {
    const { catalog, redactor } = serverOf(each);
    // Matching the original texts would reveal secrets in them.
    const shown = (text = "") => redactor?.text(text) ?? text;
    return [...catalog.tools.values()]
      .filter(({ name, title, description }) => fits(shown(name), shown(title), shown(description)))
      .slice(0, maxOfKind)
      .map(({ name, description = each.name }) =>
        result({ kind: "tool", id: name, server: each.name, title: shown(name), about: shown(description) }),
      );
  });
}

async function findCalls({ log, history }: AdminParts, query: string): Promise<CallSummary[]> {
  if (isCallId(query)) {
    const known = log.find(query);
    const call = known ? callSummary(known) : await history?.find(query);
    return call ? [call] : [];
  }
  const fits = matcher(query);
  const recent = log.newest(maxOfKind, ({ tool, agent, principal, message }) =>
    fits(tool, agent.agentId, agent.requestId, principal.id, message ?? ""),
  );
  if (recent.length >= maxOfKind || !history) return recent.map(callSummary);
  const { calls } = await history.list({ tool: query }, { limit: maxOfKind });
  const known = new Set(recent.map(({ id }) => id));
  return [...recent.map(callSummary), ...calls.filter(({ id }) => !known.has(id))];
}

function callResult({ id, server, tool, agent, outcome, at }: CallSummary): SearchResult {
  return result({ kind: "call", id, server, title: tool, about: `${agent.agentId} · ${shownOutcome(outcome)}`, at });
}

async function findRuns({ stores = [] }: AdminParts, query: string): Promise<SearchResult[]> {
  const fits = matcher(query);
  const found: StoredRun[] = [];
  for (const store of stores) {
    const exact = await getRun(store, query);
    if (exact) found.push(exact);
    const newest = (await listRuns(store, { limit: maxExamined })).reverse();
    found.push(
      ...newest.filter((run) => run.id !== query && fits(run.id, run.name, run.model, run.agent, ...run.tags)),
    );
  }
  return found.slice(0, maxOfKind).map(({ id, name, model, agent, startedAt }) =>
    result({
      kind: "run",
      id,
      title: name ?? id,
      about: model === "" ? agent : model,
      at: startedAt,
    }),
  );
}

async function findApprovals({ approvals }: AdminParts, query: string): Promise<SearchResult[]> {
  if (!approvals) return [];
  const fits = matcher(query);
  const exact = await approvals.get(query);
  const newest = await approvals.newest(maxExamined);
  const found = newest.filter(
    ({ id, tool, question, principal, agent }) => id !== query && fits(id, tool, question, principal, agent),
  );
  return [...(exact ? [exact] : []), ...found]
    .slice(0, maxOfKind)
    .map(({ id, server, tool, status, question, askedAt }) =>
      result({ kind: "approval", id, server, title: tool, about: `${status} · ${question}`, at: askedAt }),
    );
}

function findEpisodes({ episodes }: AdminParts, query: string): SearchResult[] {
  const fits = matcher(query);
  const found: SearchResult[] = [];
  for (const { environment, episode } of episodes) {
    if (found.length === maxOfKind) break;
    if (!fits(episode.id, episode.label, environment.name)) continue;
    const about = `${environment.name} · step ${episode.stepCount}`;
    found.push(
      result({ kind: "episode", id: episode.id, server: environment.name, title: episode.label ?? episode.id, about }),
    );
  }
  return found;
}

/** A number is a sequence number. Other texts may be anywhere in a line, such as in its input. */
async function findAudit({ auditLog: store }: AdminParts, query: string): Promise<SearchResult[]> {
  if (!store) return [];
  const { audit } = store;
  const found: LogLine[] = [];
  if (/^\d{1,12}$/.test(query)) {
    const [line] = await audit.read({ after: Number(query) - 1, limit: 1 });
    if (line?.sequence === Number(query)) found.push(line);
  }
  const fits = matcher(query);
  let examined = 0;
  for await (const page of auditPages(audit, { order: "newest" })) {
    found.push(...page.filter(({ line }) => fits(line)));
    examined += page.length;
    if (found.length >= maxOfKind || examined >= maxExaminedLines) break;
  }
  return found.slice(0, maxOfKind).flatMap(auditResult);
}

function auditResult({ sequence, line }: LogLine): SearchResult[] {
  try {
    const read = JSON.parse(line) as AuditLine;
    if (read.kind !== "call") return [];
    const { tool, principal, outcome, time } = read;
    return [
      result({
        kind: "audit",
        id: String(sequence),
        title: tool,
        about: `${principal.id} · ${shownOutcome(outcome)}`,
        at: time,
      }),
    ];
  } catch {
    return [];
  }
}

function shownOutcome(outcome: string): string {
  return outcome.toLowerCase().replaceAll("_", " ");
}

/** Every word must be in one of the texts. */
function matcher(query: string): (...texts: readonly (string | undefined)[]) => boolean {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  return (...texts) => {
    const all = texts.join("\n").toLowerCase();
    return words.every((word) => all.includes(word));
  };
}

function result(found: Pick<SearchResult, "kind" | "id" | "title" | "about"> & Partial<SearchResult>): SearchResult {
  return {
    server: null,
    at: null,
    ...found,
    title: boundedText(found.title, 200),
    about: boundedText(found.about, 200),
  };
}

export const maxOfKind = 5;

/** Newest items that a search reads, so that it takes as long in a large store as in a small one. */
const maxExamined = 500;
const maxExaminedLines = 5000;
