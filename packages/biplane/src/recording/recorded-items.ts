import type { Prompt, Resource } from "@biplane/core";
import type { ResourceContents, ToolInfo } from "@biplane/core/client";
import {
  completeArgument,
  getPrompt,
  isRecord,
  readResource,
  remotePrompt,
  remoteResource,
} from "@biplane/core/internal";
import type { RemoteReadOptions } from "@biplane/core/internal";
import type { RecordedAnswers } from "./recorded-answers.ts";
import { recordedResult } from "./recorded-answer.ts";
import type { SessionRecordings } from "./read-sessions.ts";

/** The tools of a recording: those that were listed, and those that were called without being listed. */
export function recordedTools({ lists, sessions }: SessionRecordings): readonly ToolInfo[] {
  const tools = lists.tools.filter(({ name }) => isToolName(name)).map(withSchema);
  const listed = new Set(tools.map(({ name }) => name));
  const called = new Set(sessions.flatMap(({ calls }) => calls.flatMap(({ tool, error }) => (error ? [] : [tool]))));
  const unlisted = [...called].filter((tool) => !listed.has(tool) && isToolName(tool));
  return [...tools, ...unlisted.map((name) => ({ name, inputSchema: anyObject }))];
}

const anyObject = { type: "object" };

function withSchema(tool: ToolInfo): ToolInfo {
  return isRecord(tool.inputSchema) ? tool : { ...tool, inputSchema: anyObject };
}

/** True if a recorded call is one of a tool, not of a resource, a prompt or a completion. */
export function isToolName(name: string): boolean {
  return /^[A-Za-z0-9_.-]{1,128}$/.test(name);
}

/** The resources and prompts of a recording. */
export function recordedReads(
  { lists }: SessionRecordings,
  answers: RecordedAnswers,
): { readonly resources: readonly Resource[]; readonly prompts: readonly Prompt[] } {
  const reading: RemoteReadOptions = { client: recordedClient(answers), send: (work) => work() };
  return {
    resources: [...lists.resources, ...lists.templates].map((info) => remoteResource(info, reading)),
    prompts: lists.prompts.map((info) => remotePrompt(info, reading)),
  };
}

function recordedClient(answers: RecordedAnswers): RemoteReadOptions["client"] {
  const find = (tool: string, input: unknown) => recordedResult(answers.next({ tool, arguments: input }, ""));
  return {
    readResource: async (uri) => {
      const { content } = find(readResource, { uri });
      const contents = content.flatMap((part) => (part.type === "resource" ? [part.resource] : []));
      return { contents: contents as readonly unknown[] as readonly ResourceContents[] };
    },
    getPrompt: async (name, input) => {
      const { structuredContent: got } = find(getPrompt, { name, arguments: input });
      return { messages: [], ...(isRecord(got) && got) };
    },
    complete: async (ref, argument, options) => {
      const { structuredContent: got } = find(completeArgument, { ref, argument, others: options?.context });
      const completion = isRecord(got) && isRecord(got["completion"]) ? got["completion"] : {};
      return { values: [], ...completion };
    },
    subscribe: async () => undefined,
  };
}
