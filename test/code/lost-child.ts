// Runs code that waits for a person, and is killed meanwhile. Its argument is the file of the store.
import { allow, ask, server, tool } from "biplane";
import { sqliteStore } from "../../src/store/sqlite.ts";
import { javascriptEngine } from "../../src/code/javascript/engine.ts";
import { codeTool } from "../../src/code/run-code.ts";

const store = sqliteStore(process.argv[2] ?? "");
const house = server({
  name: "desk",
  version: "1.0.0",
  store,
  approver: { approve: ({ call }) => call.standStill(new Promise(() => undefined)) },
  tools: [
    tool({
      name: "note",
      description: "Writes",
      input: { type: "object", properties: { text: {} } },
      run: () => "noted",
    }),
    tool({ name: "pay", description: "Pays", run: () => "paid" }),
  ],
});
house.policy((_, name) => (name === "pay" ? ask("May it pay?") : allow()));
codeTool(house, { engines: [javascriptEngine({ isolation: "thread" })] });
void house.call("run_code", { code: "await note('first'); await pay(); await note('second')" });
while ((await store.list("code-actions")).length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
process.stdout.write("waiting\n");
setInterval(() => undefined, 1000);
