/** Messages to a worker. */
export type ToDevWorker =
  | {
      readonly kind: "begin";
      readonly file: string;
      /** Holds accounts and sessions, which must survive a reload. */
      readonly store: string;
      readonly version: number;
      /** Empty for the first version. */
      readonly changed: readonly string[];
    }
  /** The port is free, so the worker may listen. */
  | { readonly kind: "open"; readonly url: string }
  /** The newest version failed to load, or null if it loaded. */
  | { readonly kind: "problem"; readonly problem: string | null }
  /** Print another sign-in link. */
  | { readonly kind: "link" };

/** Messages from a worker. */
export type FromDevWorker =
  /** The module has loaded and needs the port. */
  | { readonly kind: "loaded"; readonly sources: readonly string[] }
  | { readonly kind: "up"; readonly url: string }
  /** The port is closed. The process may still be running. */
  | { readonly kind: "closed" }
  | { readonly kind: "failed"; readonly problem: string };
