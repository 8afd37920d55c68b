import { setTimeout as sleep } from "node:timers/promises";
import {
  BiplaneError,
  audio,
  embedded,
  form,
  image,
  prompt,
  reply,
  resource,
  roots,
  sample,
  server,
  skill,
  text,
  tool,
} from "biplane";
import type { Call } from "biplane";

/** The server under test: every fixture that the official conformance suite needs, with the public API only. */
const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const wav = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";
const minute = { timeoutMs: 60_000 };

const fields = (properties: Record<string, unknown>) => ({
  type: "object",
  properties,
  required: Object.keys(properties),
});
const nameForm = (message: string) => form(message, fields({ name: { type: "string" } }));
const question = (words: string, maxTokens: number) =>
  sample({ messages: [{ role: "user", content: { type: "text", text: words } }], maxTokens });
const said = (answer: { content: unknown }) =>
  (answer.content as { text?: string }).text ?? JSON.stringify(answer.content);
const told = (answer: { action: string; content?: unknown }) =>
  `Elicitation completed: action=${answer.action}, content=${JSON.stringify(answer.content ?? {})}`;

const content = {
  test_simple_text: tool({
    description: "Returns a simple text",
    run: () => "This is a simple text response for testing.",
  }),
  test_image_content: tool({ description: "Returns an image", run: () => reply(image(png, "image/png")) }),
  test_audio_content: tool({ description: "Returns audio", run: () => reply(audio(wav, "audio/wav")) }),
  test_embedded_resource: tool({
    description: "Returns an embedded resource",
    run: () =>
      reply(
        embedded({
          uri: "test://embedded-resource",
          mimeType: "text/plain",
          text: "This is an embedded resource content.",
        }),
      ),
  }),
  test_multiple_content_types: tool({
    description: "Returns text, an image and a resource",
    run: () =>
      reply([
        text("Multiple content types test:"),
        image(png, "image/png"),
        embedded({
          uri: "test://mixed-content-resource",
          mimeType: "application/json",
          text: '{"test":"data","value":123}',
        }),
      ]),
  }),
  test_error_handling: tool({
    description: "Always fails",
    run: () => {
      throw new Error("This tool intentionally returns an error for testing");
    },
  }),
};

const talkative = {
  test_tool_with_logging: tool({
    description: "Logs three lines while it runs",
    run: async (_, call) => {
      for (const line of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
        call.log("info", line);
        await sleep(50);
      }
      return "Logged";
    },
  }),
  test_logging_tool: tool({
    description: "Logs at several levels",
    run: (_, call) => {
      for (const level of ["debug", "info", "warning", "error"] as const) call.log(level, `A ${level} line`);
      return "Logged";
    },
  }),
  test_tool_with_progress: tool({
    description: "Reports progress while it runs",
    run: async (_, call) => {
      for (const progress of [0, 50, 100]) {
        call.progress(progress, { total: 100, message: `Completed step ${progress} of 100` });
        await sleep(50);
      }
      return "Done";
    },
  }),
  test_reconnection: tool({
    description: "Streams before it answers",
    run: async (_, call) => {
      call.log("info", "Still here");
      await sleep(100);
      return "Reconnection test completed successfully";
    },
  }),
};

const asking = {
  test_sampling: tool({
    description: "Asks the client's model",
    input: fields({ prompt: { type: "string" } }),
    interactive: true,
    ...minute,
    run: async ({ prompt: words }, call) =>
      `LLM response: ${said(await call.ask("sample", question(String(words), 100)))}`,
  }),
  test_elicitation: tool({
    description: "Asks the client's user",
    input: fields({ message: { type: "string" } }),
    interactive: true,
    ...minute,
    run: async ({ message }, call) => {
      const schema = fields({
        username: { type: "string", description: "User's response" },
        email: { type: "string", description: "User's email address" },
      });
      const answer = await call.ask("user", form(String(message), schema));
      return `User response: action=${answer.action}, content=${JSON.stringify(answer.content ?? {})}`;
    },
  }),
  test_elicitation_sep1034_defaults: tool({
    description: "Asks with defaults",
    interactive: true,
    ...minute,
    run: async (_, call) =>
      told(
        await call.ask(
          "user",
          form("Please review and update the form fields with defaults", {
            type: "object",
            properties: {
              name: { type: "string", description: "User name", default: "John Doe" },
              age: { type: "integer", description: "User age", default: 30 },
              score: { type: "number", description: "User score", default: 95.5 },
              status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
              verified: { type: "boolean", description: "Verification status", default: true },
            },
            required: [],
          }),
        ),
      ),
  }),
  test_elicitation_sep1330_enums: tool({
    description: "Asks with every kind of choice",
    interactive: true,
    ...minute,
    run: async (_, call) => {
      const options = ["option1", "option2", "option3"];
      const titled = (word: string) =>
        ["First", "Second", "Third"].map((title, index) => ({ const: `value${index + 1}`, title: `${title} ${word}` }));
      const properties = {
        untitledSingle: { type: "string", enum: options },
        titledSingle: { type: "string", oneOf: titled("Option") },
        legacyEnum: {
          type: "string",
          enum: ["opt1", "opt2", "opt3"],
          enumNames: ["Option One", "Option Two", "Option Three"],
        },
        untitledMulti: { type: "array", items: { type: "string", enum: options } },
        titledMulti: { type: "array", items: { anyOf: titled("Choice") } },
      };
      return told(await call.ask("user", form("Please select options", { type: "object", properties, required: [] })));
    },
  }),
  test_missing_capability: tool({
    description: "Cannot work without sampling",
    interactive: true,
    run: async (_, call) => said(await call.ask("sample", question("Hello", 10))),
  }),
  test_streaming_elicitation: tool({
    description: "Reports progress, then asks",
    interactive: true,
    run: async (_, call) => {
      call.progress(1, { total: 2 });
      return told(await call.ask("user_name", nameForm("What is your name?")));
    },
  }),
};

const confirm = form("Please confirm", fields({ ok: { type: "boolean" } }));
const ask = (key: string, message: string) => async (_: unknown, call: Call) => {
  const answer = await call.ask(key, nameForm(message));
  return `Hello, ${String(answer.content?.["name"])}!`;
};

const rounds = {
  test_input_required_result_elicitation: tool({
    description: "Asks for a name",
    interactive: true,
    run: ask("user_name", "What is your name?"),
  }),
  test_input_required_result_sampling: tool({
    description: "Asks the client's model",
    interactive: true,
    run: async (_, call) => said(await call.ask("capital_question", question("What is the capital of France?", 100))),
  }),
  test_input_required_result_list_roots: tool({
    description: "Asks for the client's roots",
    interactive: true,
    run: async (_, call) => {
      const answer = await call.ask("client_roots", roots());
      return `Roots: ${answer.roots.map(({ uri }) => uri).join(", ")}`;
    },
  }),
  test_input_required_result_request_state: tool({
    description: "Asks for a confirmation",
    interactive: true,
    run: async (_, call) => {
      await call.ask("confirm", confirm);
      return "state-ok";
    },
  }),
  test_input_required_result_tampered_state: tool({
    description: "Asks for a confirmation",
    interactive: true,
    run: async (_, call) => {
      await call.ask("confirm", confirm);
      return "confirmed";
    },
  }),
  test_input_required_result_multiple_inputs: tool({
    description: "Asks three things at once",
    interactive: true,
    run: async (_, call) => {
      const answers = await call.askAll({
        user_name: nameForm("What is your name?"),
        greeting: question("Generate a greeting", 50),
        client_roots: roots(),
      });
      const name = String(answers.user_name.content?.["name"]);
      return `${said(answers.greeting)}, ${name}; ${answers.client_roots.roots.length} roots`;
    },
  }),
  test_input_required_result_multi_round: tool({
    description: "Asks twice",
    interactive: true,
    run: async (_, call) => {
      const first = await call.ask("step1", nameForm("Step 1: What is your name?"));
      const colors = fields({ color: { type: "string" } });
      const second = await call.ask("step2", form("Step 2: What is your favorite color?", colors));
      return `${String(first.content?.["name"])} likes ${String(second.content?.["color"])}`;
    },
  }),
  test_input_required_result_capabilities: tool({
    description: "Asks only what the client can answer",
    interactive: true,
    run: async (_, call) => {
      const questions = {
        ...(call.canAsk("form") && { user_name: nameForm("What is your name?") }),
        ...(call.canAsk("sample") && { greeting: question("Generate a greeting", 50) }),
        ...(call.canAsk("roots") && { client_roots: roots() }),
      };
      return JSON.stringify(await call.askAll(questions));
    },
  }),
};

const tasks = {
  greet: tool({
    description: "Greets",
    input: fields({ name: { type: "string" } }),
    run: ({ name }) => `Hello, ${String(name)}!`,
  }),
  slow_compute: tool({
    description: "Takes its time",
    input: { type: "object", properties: { seconds: { type: "number" }, label: { type: "string" } } },
    task: "optional",
    run: async ({ seconds = 1 }, call) => {
      await sleep(seconds * 1000, undefined, { signal: call.signal });
      return `Computed for ${seconds} seconds`;
    },
  }),
  failing_job: tool({
    description: "Fails after a while",
    task: "required",
    run: async () => {
      await sleep(1000);
      throw new Error("The job failed");
    },
  }),
  protocol_error_job: tool({
    description: "Breaks the server's own rules",
    task: "optional",
    run: async () => {
      await sleep(50);
      throw new BiplaneError("INTERNAL", "The job broke the server");
    },
  }),
  confirm_delete: tool({
    description: "Asks before it deletes",
    input: { type: "object", properties: { filename: { type: "string" } } },
    task: "optional",
    interactive: true,
    run: async (_, call) => {
      await call.detach();
      const answer = await call.ask("confirm", form("Delete the file?", fields({ confirm: { type: "boolean" } })));
      return answer.action === "accept" ? "Deleted" : "Kept";
    },
  }),
  multi_input: tool({
    description: "Asks two things at once",
    task: "optional",
    interactive: true,
    run: async (_, call) => {
      await call.detach();
      const answers = await call.askAll({ first: nameForm("First name?"), second: nameForm("Second name?") });
      return JSON.stringify(answers);
    },
  }),
  test_tool_with_task: tool({
    description: "Asks first, then works as a task",
    task: "required",
    interactive: true,
    run: async (_, call) => {
      const answer = await call.ask("user_name", nameForm("What is your name?"));
      await call.detach();
      await sleep(100);
      return `Hello, ${String(answer.content?.["name"])}!`;
    },
  }),
};

const schemas = {
  json_schema_2020_12_tool: tool({
    description: "Tool with JSON Schema 2020-12 features",
    input: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      $defs: {
        address: {
          $anchor: "addressDef",
          type: "object",
          properties: { street: { type: "string" }, city: { type: "string" } },
        },
      },
      properties: {
        name: { type: "string" },
        address: { $ref: "#/$defs/address" },
        contactMethod: { type: "string", enum: ["phone", "email"] },
        phone: { type: "string" },
        email: { type: "string" },
      },
      allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
      if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
      then: { required: ["phone"] },
      else: { required: ["email"] },
      additionalProperties: false,
    },
    run: () => "Valid",
  }),
  test_x_mcp_header: tool({
    description: "Repeats an argument in a header",
    input: {
      type: "object",
      properties: { region: { type: "string", "x-mcp-header": "Region" }, level: { type: "string" } },
    },
    run: ({ region }) => `Region: ${String(region)}`,
  }),
};

const changes = {
  test_trigger_tool_change: tool({
    description: "Changes the list of tools",
    run: () => {
      const extra = tool({ name: "test_extra", description: "Comes and goes", run: () => "Here" });
      subject.add(extra).remove(extra);
      return "Changed";
    },
  }),
  test_trigger_prompt_change: tool({
    description: "Changes the list of prompts",
    run: () => {
      const extra = prompt({ name: "test_extra", description: "Comes and goes", get: () => "Here" });
      subject.add(extra).remove(extra);
      return "Changed";
    },
  }),
};

const argument = (description: string) => ({ description, required: true, complete: () => ["alpha", "beta"] });

const skills = [
  skill({
    name: "pdf-processing",
    description: "Extract, fill and assemble PDF documents",
    license: "Apache-2.0",
    metadata: { author: "biplane" },
    instructions: "Read references/FORMS.md before you fill a form.",
    files: {
      "references/FORMS.md": "# Forms\n\nFill every field.\n",
      "scripts/fill.py": "print('filled')\n",
      "assets/logo.png": Buffer.from(png, "base64"),
    },
  }),
  skill({
    name: "refund",
    prefix: "acme/billing",
    description: "Refund an order",
    instructions: "Ask for the order number first.",
  }),
];

const subject = server({
  name: "biplane-conformance",
  version: "1.0.0",
  description: "Fixtures for the official conformance suite",
  limits: false,
  tools: { ...content, ...talkative, ...asking, ...rounds, ...tasks, ...schemas, ...changes },
  skills,
  resources: [
    resource({
      name: "Static text",
      uri: "test://static-text",
      description: "A text that never changes",
      mimeType: "text/plain",
      read: () => "This is the content of the static text resource.",
    }),
    resource({
      name: "Static image",
      uri: "test://static-binary",
      description: "An image that never changes",
      mimeType: "image/png",
      read: () => Buffer.from(png, "base64"),
    }),
    resource({
      name: "Template",
      uri: "test://template/{id}/data",
      description: "Data by id",
      mimeType: "application/json",
      read: ({ id }) => JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
    }),
    resource({
      name: "Watched",
      uri: "test://watched-resource",
      description: "Can be watched",
      mimeType: "text/plain",
      read: () => "Watched content",
    }),
  ],
  prompts: [
    prompt({
      name: "test_simple_prompt",
      description: "Without arguments",
      get: () => "This is a simple prompt for testing.",
    }),
    prompt({
      name: "test_prompt_with_arguments",
      description: "With two arguments",
      arguments: { arg1: argument("First argument"), arg2: argument("Second argument") },
      get: ({ arg1, arg2 }) => `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`,
    }),
    prompt({
      name: "test_prompt_with_embedded_resource",
      description: "With a resource in it",
      arguments: { resourceUri: argument("URI of the resource") },
      get: ({ resourceUri = "" }) => [
        {
          role: "user",
          content: embedded({
            uri: resourceUri,
            mimeType: "text/plain",
            text: "Embedded resource content for testing.",
          }),
        },
        { role: "user", content: text("Please process the embedded resource above.") },
      ],
    }),
    prompt({
      name: "test_prompt_with_image",
      description: "With an image in it",
      get: () => [
        { role: "user", content: image(png, "image/png") },
        { role: "user", content: text("Please analyze the image above.") },
      ],
    }),
    prompt({
      name: "test_input_required_result_prompt",
      description: "Asks before it is made",
      get: async (_, call) => {
        const schema = fields({ context: { type: "string" } });
        const answer = await call.ask("user_context", form("What context should the prompt use?", schema));
        return `Context: ${String(answer.content?.["context"])}`;
      },
    }),
  ],
});

const listening = await subject.serve(process.env["BIPLANE_URL"] ?? "http://127.0.0.1:0");
process.stdout.write(`${listening.url}/mcp\n`);
