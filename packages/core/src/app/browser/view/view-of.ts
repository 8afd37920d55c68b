/** The types of a page's tools. Use `ViewOf` instead of writing it by hand. */
export interface ViewTypes {
  /** Input of the tool that the page is shown for. */
  readonly input: unknown;
  /** Its `structuredContent`. */
  readonly output: unknown;
  /** The tools that the page may call, by name. */
  readonly tools: { readonly [name: string]: { readonly input: unknown; readonly output: unknown } };
}

/** The types of a page for the tool `Shown` that calls the tools in `Called` (default: any tool). */
export interface ViewOf<Shown, Called extends object = Record<string, unknown>> extends ViewTypes {
  readonly input: InputOf<Shown>;
  readonly output: OutputOf<Shown>;
  readonly tools: {
    readonly [Name in Extract<keyof Called, string>]: {
      readonly input: InputOf<Called[Name]>;
      readonly output: OutputOf<Called[Name]>;
    };
  };
}

/** The types of a page with unknown tools. */
export type AnyView = ViewOf<unknown>;

/** Arguments that a model is still writing: fields may be missing and the last string may be incomplete. */
export type Incomplete<Value> = Value extends readonly (infer Entry)[]
  ? readonly Incomplete<Entry>[]
  : Value extends object
    ? { readonly [Key in keyof Value]?: Incomplete<Value[Key]> | undefined }
    : Value;

type InputOf<Tool> = [TypesOf<Tool>] extends [{ readonly input: infer Input }] ? Input : Record<string, unknown>;
type OutputOf<Tool> = [TypesOf<Tool>] extends [{ readonly output: infer Output }] ? Output : unknown;

// A tool keeps its types under its only symbol. Its module cannot be imported here, because it uses Node.
type TypesOf<Tool> = [Symbols<Tool>] extends [never] ? undefined : NonNullable<Tool[Symbols<Tool>]>;
type Symbols<Tool> = Extract<keyof Tool, symbol>;
