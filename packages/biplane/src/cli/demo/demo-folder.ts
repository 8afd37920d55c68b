import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A temporary folder with the demo's data, deleted when the demo ends. */
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
  "biplane.yaml": `# What the demo serves besides its customer support tools. biplane serve could use the same file.
name: demo
store: ./demo.db

environments:
  - frozen-lake
  - connect-four
  - taxi
  - wordle
  - broadband-support

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

- Propellers: two weeks delivery, call first
- Canvas: always in stock
- Struts: the new model cracks in the cold
`,
  "workspace/todo.txt": "order struts\nreply to Grace\ncount the canvas\n",
  "memory/MEMORY.md": "# Notes\n\nAda prefers email to phone calls.\n",
  "scripts/greet.star": `# @description: Greets a person
# @function: greet
# @param name: string The person's name

def greet(name):
    return "hello, " + name
`,
  "scripts/exchange.star": `# @description: Converts an amount to another currency
# @secrets: RATES_KEY
# @function: exchange
# @param amount: number The amount
# @param rate: number The exchange rate

def exchange(amount, rate):
    return {"amount": amount, "converted": amount * rate}
`,
};
