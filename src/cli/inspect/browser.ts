import type { Answers } from "../../client/answers.ts";
import type { Client } from "../../client/client.ts";
import { messageOf } from "../../errors.ts";
import type { FormAnswer } from "../../tool/question.ts";
import { showContent, showResource, showResult } from "../target/show-result.ts";
import { wordOf } from "../terminal/word-of.ts";
import { Form } from "./form.ts";
import { Menu } from "./menu.ts";
import type { Section } from "./menu.ts";
import { Pager } from "./pager.ts";
import { Screen } from "./screen.ts";
import type { Terminal } from "./screen.ts";
import { expand, variablesIn } from "./template.ts";
import type { View } from "./view.ts";
import type { Inventory } from "./inventory.ts";
import { takeInventory } from "./inventory.ts";

/** A server to look around in, on the whole screen. */
export class Browser {
  readonly #views: View[] = [];
  readonly #ended: Promise<void>;
  #screen: Screen | undefined;
  #client: Client | undefined;
  #end: () => void = () => undefined;

  constructor() {
    this.#ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  /** Answers to what the server asks while a call runs: a form on top of what is there. */
  readonly answers: Answers = {
    form: ({ message, schema }, { signal }) => this.#ask({ message, schema, yes: "Send", signal }),
    link: ({ message, url }, { signal }) =>
      this.#ask({ message: `${message}\n\nOpen this page: ${url}`, schema: {}, yes: "I have opened it", signal }),
  };

  /** Shows the server until whoever looks has seen enough. */
  async run(client: Client, terminal: Terminal): Promise<void> {
    this.#client = client;
    const title = `${wordOf(client.serverInfo["name"])} ${wordOf(client.serverInfo["version"])}, MCP ${client.protocolVersion}`;
    const menu = new Menu(this, title);
    this.#views.push(menu);
    const load = async () => (menu.sections = this.#sections(await takeInventory(client)));
    await load();
    const stop = await client.onChange((change) => {
      if (typeof change === "string")
        void load().catch((error: unknown) => this.#tell("The list is old", messageOf(error)));
    });
    using screen = new Screen(terminal, {
      onKey: (key) => (key.name === "ctrl-c" ? this.quit() : this.#views.at(-1)?.key(key)),
      onResize: () => this.redraw(),
      onEnd: () => this.quit(),
    });
    this.#screen = screen;
    this.redraw();
    await this.#ended;
    stop();
  }

  show(view: View): void {
    this.#views.push(view);
    this.redraw();
  }

  close(view: View): void {
    const at = this.#views.indexOf(view);
    if (at > 0) this.#views.splice(at, 1);
    this.redraw();
  }

  redraw(): void {
    const screen = this.#screen;
    const top = this.#views.at(-1);
    if (screen && top) screen.draw(top.frame(screen.size));
  }

  quit(): void {
    this.#end();
  }

  #sections({ tools, resources, templates, prompts }: Inventory): Section[] {
    const client = this.#client as Client;
    return [
      {
        label: "Tools",
        entries: tools.map((tool) => ({
          name: tool.name,
          about: tool.description ?? "",
          open: () =>
            this.#fillIn(
              { title: tool.name, about: tool.description ?? "", schema: tool.inputSchema, verb: "Call" },
              (input, options) =>
                client
                  .callTool(tool.name, input, options)
                  .then((result) => `${result.isError === true ? "The tool failed:\n\n" : ""}${showResult(result)}`),
            ),
        })),
      },
      {
        label: "Resources",
        entries: [
          ...resources.map(({ uri, name, description }) => ({
            name: uri,
            about: description ?? name,
            open: () => this.#work(uri, (options) => this.#read(uri, options)),
          })),
          ...templates.map(({ uriTemplate, name, description }) => ({
            name: uriTemplate,
            about: description ?? name,
            open: () => {
              const fields = variablesIn(uriTemplate);
              const schema = {
                properties: Object.fromEntries(fields.map((field) => [field, { type: "string" }])),
                required: fields,
              };
              this.#fillIn({ title: uriTemplate, about: description ?? "", schema, verb: "Read" }, (input, options) =>
                this.#read(expand(uriTemplate, input), options),
              );
            },
          })),
        ],
      },
      {
        label: "Prompts",
        entries: prompts.map(({ name, description = "", arguments: expected = [] }) => ({
          name,
          about: description,
          open: () => {
            const properties = expected.map(
              (each) => [each.name, { type: "string", description: each.description }] as const,
            );
            const required = expected.filter((each) => each.required).map((each) => each.name);
            const schema = { properties: Object.fromEntries(properties), required };
            this.#fillIn({ title: name, about: description, schema, verb: "Get" }, async (input, options) => {
              const { messages } = await client.getPrompt(name, input, options);
              return messages.map(({ role, content }) => `${role}:\n${showContent(content)}`).join("\n\n");
            });
          },
        })),
      },
    ];
  }

  async #read(uri: string, options: WorkOptions): Promise<string> {
    const { contents } = await (this.#client as Client).readResource(uri, options);
    return contents.map(showResource).join("\n\n");
  }

  #fillIn(
    {
      title,
      about,
      schema,
      verb,
    }: { title: string; about: string; schema: Readonly<Record<string, unknown>>; verb: string },
    work: (input: Readonly<Record<string, unknown>>, options: WorkOptions) => Promise<string>,
  ): void {
    const press = (value: () => Readonly<Record<string, unknown>>) => {
      const input = value();
      this.#work(title, (options) => work(input, options));
    };
    this.show(new Form(this, { title, about, schema, buttons: [{ label: verb, press }], onBack: () => undefined }));
  }

  /** Does something that takes time, in sight; going back gives it up. */
  #work(title: string, work: (options: WorkOptions) => Promise<string>): void {
    const stop = new AbortController();
    const pager = new Pager(this, { title, text: "Waiting … (Esc gives up)", onBack: () => stop.abort() });
    this.show(pager);
    const onProgress: WorkOptions["onProgress"] = ({ progress, total, message = "" }) => {
      pager.text = `Waiting … ${progress}${total === undefined ? "" : ` of ${total}`} ${message}`;
    };
    work({ signal: stop.signal, onProgress, resetTimeoutOnProgress: true }).then(
      (text) => (pager.text = text),
      (error: unknown) => (pager.text = `That did not work:\n\n${messageOf(error)}`),
    );
  }

  #tell(title: string, text: string): void {
    this.show(new Pager(this, { title, text }));
  }

  #ask({ message, schema, yes, signal }: Asking): Promise<FormAnswer> {
    return new Promise((resolve) => {
      const answer = (given: FormAnswer) => {
        this.close(form);
        resolve(given);
      };
      const form: Form = new Form(this, {
        title: "The server asks",
        about: message,
        schema,
        buttons: [
          { label: yes, press: (value) => answer({ action: "accept", content: value() }) },
          { label: "Decline", press: () => answer({ action: "decline" }) },
        ],
        onBack: () => resolve({ action: "cancel" }),
      });
      signal.addEventListener("abort", () => answer({ action: "cancel" }), { once: true });
      this.show(form);
    });
  }
}

interface WorkOptions {
  readonly signal: AbortSignal;
  readonly resetTimeoutOnProgress: boolean;
  readonly onProgress: (progress: {
    readonly progress: number;
    readonly total?: number;
    readonly message?: string;
  }) => void;
}

interface Asking {
  readonly message: string;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly yes: string;
  readonly signal: AbortSignal;
}
