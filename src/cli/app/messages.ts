/** What a workbench is told by the one who started it. */
export type ToWorkbench =
  | {
      readonly kind: "begin";
      readonly file: string;
      /** Where what must outlive a workbench is kept: who is logged in. */
      readonly store: string;
      readonly version: number;
      /** The files that changed; none at the start. */
      readonly changed: readonly string[];
    }
  /** The address is free. */
  | { readonly kind: "open"; readonly url: string }
  /** The newest state cannot be loaded; null where nothing is wrong with it. */
  | { readonly kind: "problem"; readonly problem: string | null }
  /** Somebody wants another link. */
  | { readonly kind: "link" };

/** What it tells. */
export type FromWorkbench =
  /** The module is good, and made of these files: the address is needed now. */
  | { readonly kind: "loaded"; readonly sources: readonly string[] }
  | { readonly kind: "up"; readonly url: string }
  /** The address is free again; the rest may take a moment longer. */
  | { readonly kind: "closed" }
  | { readonly kind: "failed"; readonly problem: string };
