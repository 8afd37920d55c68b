import type { Prompt } from "../../server/prompt.ts";
import type { Completer, Resource } from "../../server/resource.ts";
import { compileTemplate } from "../../server/uri-template.ts";
import type { UriTemplate } from "../../server/uri-template.ts";
import type { Icon } from "../../tool/tool.ts";
import type { Client } from "../client.ts";
import type { PromptInfo, ResourceInfo, ResourceTemplateInfo } from "../results.ts";
import { textOrNothing } from "./remote-tool.ts";

/** What reading needs of the connection: calls that are counted, timed and given up as calls of tools are. */
export interface Reading {
  readonly client: Client;
  readonly send: <T>(work: () => Promise<T>) => Promise<T>;
}

/** A resource of another server, or a family of them, as ours. */
export function remoteResource(info: ResourceInfo | ResourceTemplateInfo, { client, send }: Reading): Resource {
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
  const ours: Resource = {
    name,
    uri: typeof uri === "string" ? uri : undefined,
    template,
    title: textOrNothing(title),
    description: textOrNothing(description),
    mimeType: textOrNothing(mimeType),
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
  return Object.freeze(ours);
}

export function remotePrompt(info: PromptInfo, { client, send }: Reading): Prompt {
  const { name, title, description, arguments: expected = [], icons, _meta: meta, ...more } = info;
  const described = expected.map((argument) => {
    const complete = completer((typed, others) =>
      send(() => client.complete({ prompt: name }, { name: argument.name, ...typed }, { context: others })),
    );
    return [argument.name, { ...argument, complete }] as const;
  });
  const ours: Prompt = {
    name,
    title: textOrNothing(title),
    description: textOrNothing(description),
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
  return Object.freeze(ours);
}

type Suggest = (
  typed: { value: string },
  others: Readonly<Record<string, string>>,
) => Promise<{ values: readonly string[] }>;

/** A server that cannot suggest suggests nothing. */
function completer(suggest: Suggest): Completer {
  return async (value, others) => {
    try {
      return (await suggest({ value }, others)).values;
    } catch {
      return [];
    }
  };
}

/** A template that says more than ours can still matches what begins as it does. */
function templateOf(text: string): UriTemplate {
  try {
    return compileTemplate(text);
  } catch {
    const start = text.slice(0, Math.max(text.indexOf("{"), 0));
    return { text, variables: [], match: (uri) => (start !== "" && uri.startsWith(start) ? {} : undefined) };
  }
}
