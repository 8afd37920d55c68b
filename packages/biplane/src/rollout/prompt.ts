import type { EpisodeStart } from "./begin.ts";
import { splitImage } from "./message-content.ts";
import type { ChatMessage } from "./message.ts";
import type { Row, RowSetup } from "./row.ts";
import { fillTemplate } from "./template.ts";
import type { TextStyle } from "./template.ts";
import { isRecord } from "@biplane/core/internal";

/** The first messages for the agent: those of the row, then its template with the observation. */
export function firstMessages(
  row: Row,
  setup: RowSetup,
  options: { start: EpisodeStart; style: TextStyle },
): ChatMessage[] {
  const { template } = setup;
  const hasUser = row.messages.some(({ role }) => role === "user");
  if (template === "" && hasUser) return [...row.messages];
  const { exact, observation } = options.start;
  const { rest, image } = splitImage(options.style === "python" ? exact : observation);
  const visible = isRecord(rest) && !image && Object.hasOwn(rest, "observation") ? rest["observation"] : rest;
  const context = isRecord(setup.exactContext) && options.style === "python" ? setup.exactContext : setup.context;
  const text = fillTemplate(
    template === "" ? "{observation}" : template,
    { ...context, observation: visible },
    options.style,
  );
  const content = image ? [{ type: "text" as const, text }, image] : text;
  return [...row.messages, { role: "user", content }];
}
