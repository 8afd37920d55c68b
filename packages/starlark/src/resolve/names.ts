import { formatLocation } from "../errors.ts";
import type { Identifier } from "../syntax/ast.ts";
import type { FullDialect } from "../syntax/dialect.ts";
import type { Source } from "../syntax/source.ts";
import type { Problems } from "./problems.ts";
import { declareLocal, lookUpLexical, openFunctionBlock, type Block } from "./scopes.ts";
import { spellingHint } from "./spelling.ts";

export interface NameOptions {
  readonly source: Source;
  readonly dialect: FullDialect;
  readonly isPredeclared: (name: string) => boolean;
  readonly isUniversal: (name: string) => boolean;
}

/** Resolves the names of one file to their bindings. */
export class Names {
  readonly file = openFunctionBlock(undefined);
  /** The current innermost block. */
  block: Block = this.file;
  readonly #options: NameOptions;
  readonly #problems: Problems;
  readonly #globals = new Map<string, { index: number; at: number }>();
  readonly #uses: { identifier: Identifier; block: Block }[] = [];

  constructor(options: NameOptions, problems: Problems) {
    this.#options = options;
    this.#problems = problems;
  }

  get globals(): string[] {
    return [...this.#globals.keys()];
  }

  get isTopLevel(): boolean {
    return this.block.function === this.file.function;
  }

  bind(identifier: Identifier): void {
    if (this.block === this.file) return this.#bindGlobal(identifier);
    const { name } = identifier;
    const variable = this.block.bindings.get(name) ?? declareLocal(this.block, name, identifier.at);
    identifier.binding = { kind: "local", variable };
  }

  bindParameter(identifier: Identifier): void {
    const { name, at } = identifier;
    if (this.block.bindings.has(name)) this.#problems.add(at, `duplicate parameter: ${name}`);
    identifier.binding = { kind: "local", variable: declareLocal(this.block, name, at) };
  }

  /** Loaded names are local to the file, so that they are not re-exported. */
  bindLoaded(identifier: Identifier): void {
    const { loadBindsGlobally, globalReassign } = this.#options.dialect;
    if (loadBindsGlobally) return this.#bindGlobal(identifier);
    const { name, at } = identifier;
    const existing = this.block.bindings.get(name);
    if (existing && !globalReassign) this.#problems.add(at, `cannot reassign top-level ${name}`);
    identifier.binding = { kind: "local", variable: existing ?? declareLocal(this.block, name, at) };
  }

  /** Uses are resolved at the end of the file, when every binding is known. */
  use(identifier: Identifier): void {
    // With `globalReassign`, as in Python, a use at the top level must follow the definition.
    if (this.#options.dialect.globalReassign && this.block === this.file) this.#resolve(identifier, this.block);
    else this.#uses.push({ identifier, block: this.block });
  }

  resolveUses(): void {
    for (const { identifier, block } of this.#uses) this.#resolve(identifier, block);
  }

  #bindGlobal(identifier: Identifier): void {
    const { name, at } = identifier;
    const { globalReassign } = this.#options.dialect;
    const loaded = this.file.bindings.get(name);
    if (loaded) {
      if (!globalReassign) this.#reportReassigned(identifier, "local", loaded.declaredAt);
      identifier.binding = { kind: "local", variable: loaded };
      return;
    }
    const existing = this.#globals.get(name);
    if (existing && !globalReassign) this.#reportReassigned(identifier, "global", existing.at);
    const global = existing ?? { index: this.#globals.size, at };
    this.#globals.set(name, global);
    identifier.binding = { kind: "global", index: global.index };
  }

  #reportReassigned(identifier: Identifier, scope: string, declaredAt: number): void {
    const place = formatLocation(this.#options.source.locate(declaredAt));
    this.#problems.add(identifier.at, `cannot reassign ${scope} ${identifier.name} declared at ${place}`);
  }

  #resolve(identifier: Identifier, block: Block): void {
    const { name } = identifier;
    const lexical = lookUpLexical(block, name);
    const global = this.#globals.get(name);
    if (lexical) identifier.binding = lexical;
    else if (global) identifier.binding = { kind: "global", index: global.index };
    else if (this.#options.isPredeclared(name)) identifier.binding = { kind: "predeclared" };
    else if (this.#options.isUniversal(name)) this.#resolveUniversal(identifier);
    else this.#reportUndefined(identifier, block);
  }

  #resolveUniversal(identifier: Identifier): void {
    if (identifier.name === "set" && !this.#options.dialect.set) {
      this.#problems.add(identifier.at, "this Starlark dialect does not support sets");
    }
    identifier.binding = { kind: "universal" };
  }

  #reportUndefined({ name, at }: Identifier, block: Block): void {
    const hint = this.#problems.isLong ? "" : spellingHint(name, this.#visibleNames(block));
    this.#problems.add(at, `undefined: ${name}${hint}`);
  }

  *#visibleNames(block: Block): Generator<string> {
    yield* this.#globals.keys();
    for (let current: Block | undefined = block; current; current = current.parent) yield* current.bindings.keys();
  }
}
