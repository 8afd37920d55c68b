// Runs code that waits for a person, and is killed meanwhile. Its arguments: the file of the store, language, code.
import { allow, ask, server, tool } from "biplane";
import { openApprovals } from "../../packages/biplane/src/governance/approvals/approvals.ts";
import { codeTool } from "../../packages/biplane/src/code/code-tool.ts";
import { openStore } from "biplane/store";
import { engineFor } from "./engine-for.ts";

const [file = "", language = "", code = ""] = process.argv.slice(2);
const store = await openStore(file);
const gateway = server({
  name: "kit",
  version: "1.0.0",
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
// As an operator gives a server its store.
gateway.govern({
  store,
  approver: openApprovals({ store }),
  policies: [(_, name) => (name === "pay" ? ask("May it pay?") : allow())],
});
codeTool(gateway, { engines: [engineFor(language)] });
void gateway.call("run_code", { code });
const isWaiting = async () => JSON.stringify(await store.list("code-actions")).includes('"waiting"');
while (!(await isWaiting())) await new Promise((resolve) => setTimeout(resolve, 10));
process.stdout.write("waiting\n");
setInterval(() => undefined, 1000);
