import type { Client, ToolInfo } from "@biplane/core/client";
import { messageOf, takeInventory } from "@biplane/core/internal";
import type { Inventory, Params } from "@biplane/core/internal";
import { usageError } from "../command/exit-code.ts";
import { readArguments } from "../target/read-arguments.ts";
import { showContent, showResource, showResult } from "../target/show-result.ts";
import { askFields } from "../target/terminal-answers.ts";
import { cleanLine, cleanText } from "../terminal/clean-text.ts";
import { didYouMean } from "../terminal/did-you-mean.ts";
import { runRepl } from "../terminal/repl.ts";
import type { ReplContext, ReplDefinition, ReplTerminal } from "../terminal/repl.ts";
import { summary } from "./summary.ts";
import { expand, variablesIn } from "./template.ts";

export interface InspectTerminal extends ReplTerminal {
  /** Receives the function that asks the user, for the server's own questions. */
  readonly onContext: (context: ReplContext) => void;
}

/** Lists what a server offers, and calls, reads or gets what the user types. */
export async function inspectRepl(client: Client, terminal: InspectTerminal): Promise<void> {
  const write = (text: string) => void terminal.output.write(`${cleanText(text)}\n`);
  let inventory = await takeInventory(client);
  const refresh = async () => {
    inventory = await takeInventory(client).catch(() => inventory);
  };
  const stop = await client.onChange((change) => void (typeof change === "string" && refresh()));
  const repl: ReplDefinition = {
    prompts: ["> ", "… "],
    complete: (line) => [namesIn(inventory).filter((name) => name.startsWith(line)), line],
    run: async (line, context) => {
      terminal.onContext(context);
      write(await perform(line, { client, inventory, context, write }));
    },
    showError: (error, isInterrupted) => (isInterrupted ? "Stopped." : cleanText(messageOf(error))),
    commands: {
      ":list": async () => write(await summary(client)),
      ":schema": (name) => write(JSON.stringify(toolNamed(inventory, name).inputSchema, undefined, 2)),
      ":help": () => write(help),
    },
  };
  write(`${await summary(client)}\n\nType a name to try it, or :help.`);
  await runRepl(repl, terminal);
  stop();
}

const help = `Type the name of a tool or prompt, or the URI of a resource. You are asked for its arguments.
Or write them: add a=1 b=2, with quotes around spaces, or key:=json.
  :list           list everything again
  :schema name    show the input schema of a tool
  :quit           exit, as Ctrl-D does
Tab completes names. Ctrl-C cancels a request or a question.`;

interface Inspected {
  readonly client: Client;
  readonly inventory: Inventory;
  readonly context: ReplContext;
  readonly write: (text: string) => void;
}

async function perform(line: string, { client, inventory, context, write }: Inspected): Promise<string> {
  const [name = "", ...pairs] = wordsIn(line);
  const { ask, signal } = context;
  const options = {
    signal,
    resetTimeoutOnProgress: true,
    onProgress: ({ progress, total, message = "" }: { progress: number; total?: number; message?: string }) =>
      write(cleanLine(`${progress}${total === undefined ? "" : ` of ${total}`} ${message}`)),
  };
  const fill = (schema: Params) =>
    pairs.length > 0 ? readArguments({ name, inputSchema: schema }, pairs) : askFields(schema, { ask, signal });
  const isTool = inventory.tools.some((each) => each.name === name);
  const prompt = inventory.prompts.find((each) => each.name === name);
  if (prompt && !isTool) {
    const { messages } = await client.getPrompt(name, await fill(textFields(prompt.arguments ?? [])), options);
    return messages.map(({ role, content }) => `${role}:\n${showContent(content)}`).join("\n\n");
  }
  if (name.includes("://") && !isTool) {
    const variables = variablesIn(name).map((each) => ({ name: each, required: true }));
    const uri = variables.length > 0 ? expand(name, await fill(textFields(variables))) : name;
    const { contents } = await client.readResource(uri, options);
    return contents.map(showResource).join("\n\n");
  }
  const tool = toolNamed(inventory, name);
  const result = await client.callTool(name, await fill(tool.inputSchema), options);
  return `${result.isError === true ? "The tool failed:\n" : ""}${showResult(result)}`;
}

/** The schema of arguments that are all text. */
function textFields(fields: readonly { name: string; required?: boolean; description?: string }[]): Params {
  return {
    properties: Object.fromEntries(fields.map(({ name, description }) => [name, { type: "string", description }])),
    required: fields.filter(({ required }) => required).map(({ name }) => name),
  };
}

function toolNamed(inventory: Inventory, name: string): ToolInfo {
  const found = inventory.tools.find((each) => each.name === name);
  if (found) return found;
  const hint = didYouMean(name, namesIn(inventory), "Type :list to see them all.");
  throw usageError(`The server has nothing named ${JSON.stringify(name)}. ${hint}`);
}

function namesIn({ tools, resources, templates, prompts }: Inventory): string[] {
  return [
    ...[...tools, ...prompts].map(({ name }) => name),
    ...resources.map(({ uri }) => uri),
    ...templates.map(({ uriTemplate }) => uriTemplate),
  ];
}

/** Splits a line at spaces outside quotes. Quotes are removed, except in `key:=json`. */
function wordsIn(line: string): string[] {
  const words = line.match(/(?:[^\s"']|"[^"]*"?|'[^']*'?)+/g) ?? [];
  return words.map((word) =>
    /^[^=:]+:=/.test(word)
      ? word
      : word.replaceAll(/"([^"]*)"|'([^']*)'/g, (_, double = "", single = "") => double + single),
  );
}
