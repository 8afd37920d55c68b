import type { Comprehension, Expression, FunctionSyntax, Statement } from "../syntax/ast.ts";
import { partsOf } from "../syntax/parts-of.ts";
import { checkArguments, checkParameters } from "./check-signatures.ts";
import { Names, type NameOptions } from "./names.ts";
import { Problems } from "./problems.ts";
import { closeFunction, openComprehensionBlock, openFunctionBlock } from "./scopes.ts";

/** Resolves every name and stores the result in the tree. Throws one error with all static problems. */
export function resolve(statements: readonly Statement[], options: NameOptions) {
  const problems = new Problems(options.source);
  const names = new Names(options, problems);
  const resolver = new Resolver(options, names, problems);
  resolver.resolveStatements(statements);
  names.resolveUses();
  problems.throwIfAny();
  /** The globals are names by slot. */
  return { globals: names.globals, scope: closeFunction(names.file) };
}

/** The slots of a call: plain parameters in order, keyword-only ones among them, then `*args`, then `**kwargs`. */
export function orderParameters(syntax: FunctionSyntax): FunctionSyntax["parameters"] {
  const plain = syntax.parameters.filter(({ kind }) => kind === "required" || kind === "optional");
  const rest = syntax.parameters.filter(({ kind }) => kind === "*");
  const named = syntax.parameters.filter(({ kind }) => kind === "**");
  return [...plain, ...rest, ...named];
}

/** Walks the tree in the order of the text. */
class Resolver {
  readonly #options: NameOptions;
  readonly #names: Names;
  readonly #problems: Problems;
  #loops = 0;
  #branches = 0;

  constructor(options: NameOptions, names: Names, problems: Problems) {
    this.#options = options;
    this.#names = names;
    this.#problems = problems;
  }

  resolveStatements(statements: readonly Statement[]): void {
    for (const statement of statements) this.#resolveStatement(statement);
  }

  #resolveStatement(statement: Statement): void {
    const { at } = statement;
    switch (statement.kind) {
      case "expression":
        return this.#resolveExpression(statement.expression);
      case "assign":
        this.#resolveExpression(statement.value);
        return this.#resolveTarget(statement.target);
      case "augment":
        this.#resolveExpression(statement.value);
        return this.#resolveAugmentedTarget(statement.target);
      case "return":
        if (this.#names.isTopLevel && !this.#options.dialect.topLevelReturn)
          this.#problems.add(at, "return statement not within a function");
        if (statement.value) this.#resolveExpression(statement.value);
        return;
      case "pass":
        return;
      case "break":
      case "continue":
        if (this.#loops === 0) this.#problems.add(at, `${statement.kind} not in a loop`);
        return;
      case "if":
        return this.#resolveIf(statement);
      case "for":
        this.#checkTopLevelControl(at, "for loop");
        this.#resolveExpression(statement.iterable);
        this.#resolveTarget(statement.target);
        return this.#resolveLoopBody(statement.body);
      case "while":
        if (!this.#options.dialect.while) this.#problems.add(at, "this Starlark dialect does not support while loops");
        this.#checkTopLevelControl(at, "while loop");
        this.#resolveExpression(statement.condition);
        return this.#resolveLoopBody(statement.body);
      case "def":
        this.#names.bind(statement.identifier);
        return this.#resolveFunction(statement.function);
      case "load":
        return this.#resolveLoad(statement);
    }
  }

  #resolveIf(statement: Extract<Statement, { kind: "if" }>): void {
    this.#checkTopLevelControl(statement.at, "if statement");
    this.#branches++;
    for (const { condition, body } of statement.branches) {
      this.#resolveExpression(condition);
      this.resolveStatements(body);
    }
    if (statement.otherwise) this.resolveStatements(statement.otherwise);
    this.#branches--;
  }

  #resolveLoopBody(body: readonly Statement[]): void {
    this.#loops++;
    this.resolveStatements(body);
    this.#loops--;
  }

  #checkTopLevelControl(at: number, what: string): void {
    if (!this.#names.isTopLevel || this.#options.dialect.topLevelControl) return;
    this.#problems.add(at, `${what} not within a function`);
  }

  #resolveLoad(statement: Extract<Statement, { kind: "load" }>): void {
    const { at } = statement;
    if (!this.#names.isTopLevel) this.#problems.add(at, "load statement within a function");
    else if (this.#loops > 0) this.#problems.add(at, "load statement within a loop");
    else if (this.#branches > 0) this.#problems.add(at, "load statement within a conditional");
    for (const { local, original, originalAt } of statement.names) {
      if (original === "") this.#problems.add(originalAt, "load: empty identifier");
      else if (original.startsWith("_")) {
        this.#problems.add(originalAt, `load: names with leading underscores are not exported: ${original}`);
      } else this.#names.bindLoaded(local);
    }
  }

  #resolveTarget(target: Expression): void {
    switch (target.kind) {
      case "identifier":
        return this.#names.bind(target);
      case "parenthesized":
        return this.#resolveTarget(target.inner);
      case "tuple":
      case "list":
        for (const element of target.elements) this.#resolveTarget(element);
        return;
      case "index":
      case "dot":
        return this.#resolveExpression(target);
      default:
        this.#problems.add(target.start, `can't assign to ${describeExpression(target)}`);
    }
  }

  #resolveAugmentedTarget(target: Expression): void {
    const inner = target.kind === "parenthesized" ? target.inner : target;
    if (inner.kind === "tuple" || inner.kind === "list") {
      this.#problems.add(inner.start, `can't use ${inner.kind} expression in augmented assignment`);
    } else this.#resolveTarget(target);
  }

  #resolveExpression(expression: Expression): void {
    switch (expression.kind) {
      case "identifier":
        return this.#names.use(expression);
      case "lambda":
        return this.#resolveFunction(expression.function);
      case "comprehension":
        return this.#resolveComprehension(expression);
      case "call":
        checkArguments(expression.arguments, (at, reason) => this.#problems.add(at, reason));
        break;
      default:
    }
    this.#resolveAll(partsOf(expression));
  }

  #resolveAll(expressions: readonly (Expression | undefined)[]): void {
    for (const expression of expressions) if (expression) this.#resolveExpression(expression);
  }

  #resolveFunction(syntax: FunctionSyntax): void {
    for (const { defaultValue } of syntax.parameters) if (defaultValue) this.#resolveExpression(defaultValue);
    checkParameters(syntax.parameters, (at, reason) => this.#problems.add(at, reason));
    const names = this.#names;
    const outer = { block: names.block, loops: this.#loops, branches: this.#branches };
    const block = openFunctionBlock(outer.block);
    names.block = block;
    this.#loops = 0;
    this.#branches = 0;
    for (const { identifier } of orderParameters(syntax)) if (identifier) names.bindParameter(identifier);
    this.resolveStatements(syntax.body);
    syntax.scope = closeFunction(block);
    names.block = outer.block;
    this.#loops = outer.loops;
    this.#branches = outer.branches;
  }

  /** The first iterable belongs to the enclosing block; everything else to the comprehension's own. */
  #resolveComprehension(expression: Comprehension): void {
    const names = this.#names;
    const outer = names.block;
    for (const clause of expression.clauses) {
      if (clause.kind === "if") this.#resolveExpression(clause.condition);
      else {
        this.#resolveExpression(clause.iterable);
        if (names.block === outer) names.block = openComprehensionBlock(outer);
        this.#resolveTarget(clause.target);
      }
    }
    this.#resolveAll([expression.key, expression.value]);
    names.block = outer;
  }
}

/** starlark-go's names for expressions that cannot be assigned to. */
function describeExpression(expression: Expression): string {
  if (expression.kind === "literal" || expression.kind === "comprehension") return expression.kind;
  if (expression.kind === "conditional") return "condexpr";
  return `${expression.kind}expr`;
}
