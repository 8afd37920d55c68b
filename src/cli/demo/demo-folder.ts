import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A folder with all that the demo works on, for as long as it runs. */
export interface DemoFolder extends AsyncDisposable {
  readonly path: string;
}

export async function makeDemoFolder(): Promise<DemoFolder> {
  const path = await mkdtemp(join(tmpdir(), "biplane-demo-"));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true });
    await writeFile(join(path, name), text);
  }
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

const files: Readonly<Record<string, string>> = {
  "biplane.yaml": `# What the demo serves, beside a customer desk: the same file would do for biplane serve.
name: demo
store: ./demo.db

environments:
  - frozen-lake
  - connect-four
  - taxi
  - wordle

packs:
  approvals: {}
  workspace:
    root: ./workspace
  memory:
    root: ./memory
  script:
    root: ./scripts
`,
  "workspace/README.md": `# The shop

Orders are packed on weekdays before noon. Late parcels get an apology and, above 20, a small refund.
`,
  "workspace/notes/suppliers.md": `# Suppliers

- Propellers: two weeks, call first
- Canvas: always in stock
- Struts: the new ones crack in the cold
`,
  "workspace/todo.txt": "ask about struts\nanswer Grace\ncount the canvas\n",
  "memory/MEMORY.md": "# What I remember\n\nAda likes to be written to, not called.\n",
  "scripts/greet.star": `# @description: Greets somebody
# @function: greet
# @param name: string Whom to greet

def greet(name):
    return "hello, " + name
`,
  "scripts/exchange.star": `# @description: What an amount of one currency is in another
# @secrets: RATES_KEY
# @function: exchange
# @param amount: number How much
# @param rate: number What one is worth

def exchange(amount, rate):
    return {"amount": amount, "converted": amount * rate}
`,
};
