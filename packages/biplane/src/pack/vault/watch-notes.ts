/** Watches a folder for changes. */
export type NoteWatch = Awaited<ReturnType<typeof watchNotes>>;

/** Watches everything except dot files. Reports that something changed, not what. */
export async function watchNotes(folder: string, onChange: () => void) {
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
  // For example too many folders. Then every search checks all notes.
  watcher.on("error", () => {
    state = "failed";
  });
  return {
    /** False until the watcher is ready, and after an error. */
    get isReliable() {
      return state === "watching";
    },
    close: (): Promise<void> => watcher.close(),
  };
}
