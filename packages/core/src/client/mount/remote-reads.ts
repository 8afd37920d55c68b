import type { Prompt } from "../../server/prompt.ts";
import type { Completer, Resource } from "../../server/resource.ts";
import { compileTemplate } from "../../server/uri-template.ts";
import type { UriTemplate } from "../../server/uri-template.ts";
import type { Icon } from "../../tool/icon.ts";
import type { Client } from "../client.ts";
import type { PromptInfo, ResourceInfo, ResourceTemplateInfo } from "../results.ts";
import { stringOrUndefined } from "./remote-tool.ts";

/** The client to read with. `send` adds counting, timeout and circuit breaker, as for tool calls. */
export interface RemoteReadOptions {
  readonly client: Pick<Client, "readResource" | "getPrompt" | "complete" | "subscribe">;
  readonly send: <T>(work: () => Promise<T>) => Promise<T>;
}

/** Converts another server's resource or resource template. */
export function remoteResource(
  info: ResourceInfo | ResourceTemplateInfo,
  { client, send }: RemoteReadOptions,
): Resource {
  const { uri, uriTemplate, name, title, description, mimeType, size, icons, _meta: meta, ...more } = info;
  const template = typeof uriTemplate === "string" ? templateOf(uriTemplate) : undefined;
  const complete: Record<string, Completer> = {};
  for (const variable of template?.variables ?? []) {
    complete[variable] = completer((argument, others) =>
      send(() =>
        client.complete({ template: template?.text ?? "" }, { name: variable, ...argument }, { context: others }),
      ),
    );
  }
  const resource: Resource = {
    name,
    uri: typeof uri === "string" ? uri : undefined,
    template,
    title: stringOrUndefined(title),
    description: stringOrUndefined(description),
    mimeType: stringOrUndefined(mimeType),
    size: typeof size === "number" ? size : undefined,
    icons: Array.isArray(icons) ? (icons as Icon[]) : undefined,
    meta: meta as Resource["meta"],
    more,
    complete,
    read: async (_parameters, call, wanted) => {
      const { contents } = await send(() => client.readResource(wanted, { signal: call.signal }));
      return contents as never;
    },
    watch: (wanted) => void send(() => client.subscribe(wanted)).catch(() => undefined),
  };
  return Object.freeze(resource);
}

/** Converts another server's prompt. */
export function remotePrompt(info: PromptInfo, { client, send }: RemoteReadOptions): Prompt {
  const { name, title, description, arguments: expected = [], icons, _meta: meta, ...more } = info;
  const described = expected.map((argument) => {
    const complete = completer((typed, others) =>
      send(() => client.complete({ prompt: name }, { name: argument.name, ...typed }, { context: others })),
    );
    return [argument.name, { ...argument, complete }] as const;
  });
  const prompt: Prompt = {
    name,
    title: stringOrUndefined(title),
    description: stringOrUndefined(description),
    arguments: Object.fromEntries(described),
    icons: Array.isArray(icons) ? (icons as Icon[]) : undefined,
    meta: meta as Prompt["meta"],
    more,
    get: async (given, call) => {
      const {
        resultType: _,
        _meta: __,
        ...got
      } = await send(() => client.getPrompt(name, given, { signal: call.signal }));
      return got;
    },
  };
  return Object.freeze(prompt);
}

type Suggest = (
  typed: { value: string },
  others: Readonly<Record<string, string>>,
) => Promise<{ values: readonly string[] }>;

/** Returns no completions if the server fails. */
function completer(suggest: Suggest): Completer {
  return async (value, others) => {
    try {
      return (await suggest({ value }, others)).values;
    } catch {
      return [];
    }
  };
}

/** Templates that we cannot compile match by their literal prefix. */
function templateOf(text: string): UriTemplate {
  try {
    return compileTemplate(text);
  } catch {
    const start = text.slice(0, Math.max(text.indexOf("{"), 0));
    return { text, variables: [], match: (uri) => (start !== "" && uri.startsWith(start) ? {} : undefined) };
  }
}
