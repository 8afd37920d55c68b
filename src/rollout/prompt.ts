import { isObject } from "../protocol/rpc.ts";
import type { Beginning } from "./door/door.ts";
import { splitPicture } from "./door/content.ts";
import type { Message } from "./message.ts";
import type { Row, RowSetup } from "./row.ts";
import { fillTemplate } from "./template.ts";
import type { TextStyle } from "./template.ts";

/** What the agent reads first: the row's own messages, and its template filled with what is seen. */
export function firstMessages(
  row: Row,
  setup: RowSetup,
  options: { beginning: Beginning; style: TextStyle },
): Message[] {
  const { template } = setup;
  const hasUser = row.messages.some(({ role }) => role === "user");
  if (template === "" && hasUser) return [...row.messages];
  const { exact, observation } = options.beginning;
  const { rest, picture } = splitPicture(exact ?? observation);
  const seen = isObject(rest) && !picture && Object.hasOwn(rest, "observation") ? rest["observation"] : rest;
  const context = isObject(setup.exactContext) && options.style === "python" ? setup.exactContext : setup.context;
  const text = fillTemplate(
    template === "" ? "{observation}" : template,
    { ...context, observation: seen },
    options.style,
  );
  const content = picture ? [{ type: "text" as const, text }, picture] : text;
  return [...row.messages, { role: "user", content }];
}
