/** Tells of changes below a folder. */
export interface NoteWatch {
  /** False before it has begun to see changes, and once some may have been missed. */
  readonly isReliable: boolean;
  close(): Promise<void>;
}

/** Watches everything but what begins with a dot. Only that something changed is passed on, never what was said of it. */
export async function watchNotes(folder: string, onChange: () => void): Promise<NoteWatch> {
  const { watch } = await import("chokidar");
  let state: "starting" | "watching" | "failed" = "starting";
  const watcher = watch(folder, {
    ignored: (path: string) => path.slice(folder.length).includes("/."),
    followSymlinks: false,
    ignoreInitial: true,
    persistent: false,
    ignorePermissionErrors: true,
  });
  watcher.on("all", onChange);
  watcher.once("ready", () => {
    if (state === "starting") state = "watching";
    onChange();
  });
  // Too many folders to watch, for one: then every search looks for itself.
  watcher.on("error", () => {
    state = "failed";
  });
  return {
    get isReliable() {
      return state === "watching";
    },
    close: () => watcher.close(),
  };
}
