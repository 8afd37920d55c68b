import { blocksIn, readDocument } from "../code-blocks.ts";

/**
 * The TypeScript of a document as one module, with every line of code where it is in the document: an error in line 20
 * of the module is one in line 20 of the document. A block sees what the blocks before it declare and may declare the
 * same names again, because each opens a scope inside the one before it. Imports go to the first line, with `given`:
 * declarations of names that the text around the blocks explains.
 */
export function pageModule(file: string, given = ""): string | undefined {
  const blocks = blocksIn(file).filter(({ info }) => info === "ts");
  if (blocks.length === 0) return undefined;
  const lines = readDocument(file)
    .split("\n")
    .map(() => "");
  const imports = new Set<string>();
  for (const { line, code } of blocks) {
    lines[line - 1] += "{";
    const scoped = code.replaceAll(importStatement, (statement, clause: string, from: string) => {
      // A module of the reader's own project: `given` declares what it exports.
      if (!from.startsWith(".")) for (const each of importsOf(clause, from)) imports.add(each);
      return statement.replaceAll(/[^\n]/g, "");
    });
    const plain = scoped.replaceAll(/^export default /gm, "const exported = ").replaceAll(/^export /gm, "");
    for (const [index, text] of plain.split("\n").entries()) lines[line + index] += text;
  }
  return `${[...imports].join(" ")} ${given.replaceAll("\n", " ")} ${lines.join("\n")}\n${"}".repeat(blocks.length)}\n`;
}

const importStatement = /^import ([^;]*?) from "([^"]+)";/gm;

/** One statement for each name, so that blocks may import the same one. */
function importsOf(clause: string, from: string): string[] {
  const [, type = "", names] = /^(type )?\{([^}]*)\}$/.exec(clause.replaceAll(/\s+/g, " ")) ?? [];
  if (names === undefined) return [`import ${clause} from "${from}";`];
  return names
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "")
    .map((name) => `import ${type}{ ${name} } from "${from}";`);
}
