import { readFileSync } from "node:fs";
import { parseSync } from "vite";
import { resolveDeclarations } from "./entries.ts";

/** Something that a program can import by name. */
export interface Exported {
  readonly name: string;
  readonly kind: "function" | "class" | "value" | "type";
  /** Its doc comment, without asterisks. */
  readonly comment: string;
  /** Its declaration, or each of its overloads. */
  readonly code: string;
}

/** What a file of declarations exports, also from other files, by name. */
export function readExports(file: string): Map<string, Exported> {
  const module = readModule(file);
  const found = new Map<string, Exported>();
  for (const { from, name, as } of module.exports) {
    const target = from === undefined ? undefined : resolveDeclarations(from, file);
    if (from !== undefined && target === undefined) continue;
    const all = target === undefined ? module.declared : readExports(target);
    if (name === "*") for (const [each, exported] of all) found.set(each, exported);
    const exported = all.get(name);
    if (exported) found.set(as, { ...exported, name: as });
  }
  return found;
}

interface Module {
  readonly declared: ReadonlyMap<string, Exported>;
  readonly exports: readonly {
    /** Where the name is from: another module, or this one if undefined. */
    readonly from: string | undefined;
    /** `*` for every name. */
    readonly name: string;
    readonly as: string;
  }[];
}

const modules = new Map<string, Module>();

function readModule(file: string): Module {
  const known = modules.get(file);
  if (known) return known;
  const text = readFileSync(file, "utf8");
  const { program, comments, errors } = parseSync(file, text, { lang: "dts" });
  if (errors.length > 0) throw new Error(`${file} does not parse: ${errors[0]?.message}`);

  const declared = new Map<string, Exported>();
  const imported = new Map<string, { from: string; name: string }>();
  const exports: Module["exports"][number][] = [];
  const declare = (node: Declaration, { start, end }: Span): string[] => {
    const comment = commentBefore(start, { text, comments });
    const code = text
      .slice(start, end)
      .replace(/^export /, "")
      .replace(/^declare /, "")
      .replaceAll(/^(?: {4})+/gm, (indent) => indent.slice(indent.length / 2));
    return namesOf(node).map((name) => {
      const before = declared.get(name);
      const both = before ? `${before.code}\n${code}` : code;
      declared.set(name, { name, kind: kindOf(node), comment: before?.comment || comment, code: withoutPrivate(both) });
      return name;
    });
  };

  for (const node of program.body) {
    if (node.type === "ImportDeclaration") {
      for (const each of node.specifiers)
        if (each.type === "ImportSpecifier")
          imported.set(each.local.name, { from: node.source.value, name: nameOf(each.imported) });
    } else if (node.type === "ExportAllDeclaration") {
      exports.push({ from: node.source.value, name: "*", as: "*" });
    } else if (node.type === "ExportNamedDeclaration") {
      if (node.declaration)
        for (const name of declare(node.declaration, node)) exports.push({ from: undefined, name, as: name });
      for (const { local, exported } of node.specifiers) {
        const source = node.source ? undefined : imported.get(nameOf(local));
        exports.push({
          from: node.source?.value ?? source?.from,
          name: source?.name ?? nameOf(local),
          as: nameOf(exported),
        });
      }
    } else if (isDeclaration(node)) declare(node, node);
  }
  const module = { declared, exports };
  modules.set(file, module);
  return module;
}

type Statement = ReturnType<typeof parseSync>["program"]["body"][number];
type Declaration = NonNullable<Extract<Statement, { type: "ExportNamedDeclaration" }>["declaration"]>;
type Span = Pick<Statement, "start" | "end">;

function isDeclaration(node: Statement): node is Extract<Statement, Declaration> {
  return /Declaration$|^TSDeclareFunction$/.test(node.type);
}

function namesOf(node: Declaration): string[] {
  if (node.type === "VariableDeclaration")
    return node.declarations.flatMap(({ id }) => (id.type === "Identifier" ? [id.name] : []));
  return "id" in node && node.id?.type === "Identifier" ? [node.id.name] : [];
}

function nameOf(node: { readonly name: string } | { readonly value: string }): string {
  return "name" in node ? node.name : node.value;
}

function kindOf(node: Declaration): Exported["kind"] {
  if (node.type === "FunctionDeclaration" || node.type === "TSDeclareFunction") return "function";
  if (node.type === "ClassDeclaration") return "class";
  if (node.type !== "VariableDeclaration") return "type";
  const [first] = node.declarations;
  return first?.id.typeAnnotation?.typeAnnotation.type === "TSFunctionType" ? "function" : "value";
}

interface Comments {
  readonly text: string;
  readonly comments: readonly (Span & { readonly type: string; readonly value: string })[];
}

/** The doc comment right before a position. */
function commentBefore(position: number, { text, comments }: Comments): string {
  const last = comments.findLast(({ end }) => end <= position);
  if (!last?.value.startsWith("*") || text.slice(last.end, position).trim() !== "") return "";
  return last.value
    .slice(1)
    .replaceAll(/^[ \t]*\* ?/gm, "")
    .trim();
}

function withoutPrivate(code: string): string {
  return code.replaceAll(/^ +(#private|private [^\n]*);\n/gm, "");
}
