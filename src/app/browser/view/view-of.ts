/** What a page knows of its tools, for the compiler alone. Written by `ViewOf`, not by hand. */
export interface ViewTypes {
  /** What the tool that the page is shown for was called with. */
  readonly input: unknown;
  /** Its `structuredContent`. */
  readonly output: unknown;
  /** The tools that the page may call, by name. */
  readonly tools: { readonly [name: string]: { readonly input: unknown; readonly output: unknown } };
}

/** The types of a page that is shown for `Shown` and calls the tools of `Called`; left out, it may call any by name. */
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

/** Of a page that was not told its tools. */
export type AnyView = ViewOf<unknown>;

/** Arguments while a model is still writing them: anything may be missing, and the last text may be cut short. */
export type Incomplete<Value> = Value extends readonly (infer Entry)[]
  ? readonly Incomplete<Entry>[]
  : Value extends object
    ? { readonly [Key in keyof Value]?: Incomplete<Value[Key]> | undefined }
    : Value;

type InputOf<Tool> = [TypesOf<Tool>] extends [{ readonly input: infer Input }] ? Input : Record<string, unknown>;
type OutputOf<Tool> = [TypesOf<Tool>] extends [{ readonly output: infer Output }] ? Output : unknown;

// A tool keeps its types under its one symbol. Its own module is not imported here: it belongs to Node, this to a page.
type TypesOf<Tool> = [Symbols<Tool>] extends [never] ? undefined : NonNullable<Tool[Symbols<Tool>]>;
type Symbols<Tool> = Extract<keyof Tool, symbol>;
