import { Turns } from "@biplane/core/internal";
import { withFolder } from "../shared/files/list-folder.ts";
import { foldName } from "../shared/files/names.ts";
import { readFile } from "../shared/files/read-file.ts";
import type { Root } from "../shared/files/root.ts";
import { decodeUtf8 } from "../shared/files/decode-utf8.ts";
import { KeyedLocks } from "../shared/files/keyed-locks.ts";
import { locationOf, walkTree } from "../shared/files/walk-tree.ts";
import type { TreeEntry } from "../shared/files/walk-tree.ts";
import { nameOf, readNote } from "./note.ts";
import type { Note } from "./note.ts";
import { watchNotes } from "./watch-notes.ts";
import type { NoteWatch } from "./watch-notes.ts";

/** An indexed note. */
export interface KnownNote extends Note {
  readonly text: string;
  /** Identifies the version of the file. */
  readonly stamp: string;
}

export interface NotesOptions {
  readonly maxBytes: number;
  readonly isWatched: boolean;
}

/** All notes with their tags and links. Only changed notes are read again. */
export class Notes implements AsyncDisposable {
  readonly #root: Root;
  readonly #options: NotesOptions;
  readonly #notes = new Map<string, KnownNote>();
  readonly #byName = new Map<string, Set<string>>();
  /** The notes with a link to that name. */
  readonly #linking = new Map<string, Set<string>>();
  readonly #locks = new KeyedLocks();
  #length = 0;
  #watch: NoteWatch | undefined;
  #isStale = true;
  /** True if the vault has more than is kept here. */
  isCut = false;

  constructor(root: Root, options: NotesOptions) {
    this.#root = root;
    this.#options = options;
  }

  /** Notes by path in the vault. */
  get all(): ReadonlyMap<string, KnownNote> {
    return this.#notes;
  }

  /** Marks the index as outdated, for changes the watcher may not have reported. */
  changed(): void {
    this.#isStale = true;
  }

  /** Updates the index. Does nothing if the watcher has reported no change. */
  refresh(): Promise<void> {
    return this.#locks.run("refresh", () => this.#refresh());
  }

  /** The paths of all notes with this name. */
  named(name: string): Iterable<string> {
    return this.#byName.get(foldName(name)) ?? [];
  }

  /** The paths of the notes that link to a note with the name of this one. */
  linkingTo(path: string): Iterable<string> {
    return this.#linking.get(foldName(nameOf(path))) ?? [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#watch?.close();
  }

  async #refresh(): Promise<void> {
    if (this.#options.isWatched) this.#watch ??= await watchNotes(this.#root.realPath, () => (this.#isStale = true));
    if (this.#watch?.isReliable && !this.#isStale) return;
    this.#isStale = false;
    try {
      await this.#sweep();
    } catch (error) {
      this.#isStale = true;
      throw error;
    }
  }

  async #sweep(): Promise<void> {
    const gone = new Set(this.#notes.keys());
    const turns = new Turns();
    await using top = await this.#root.find([]);
    await withFolder(top, async (folder) => {
      const { isCut } = await walkTree(this.#root, folder, {
        maxEntries,
        visit: async (entry) => {
          if (entry.type !== "file" || !/\.md$/i.test(entry.name)) return;
          const path = entry.names.join("/");
          if (await this.#index(path, entry)) gone.delete(path);
          await turns.next();
        },
      });
      this.isCut = isCut || this.#length > maxTotalLength;
    });
    for (const path of gone) this.#remove(path);
  }

  /** False if the file cannot be read as a note. */
  async #index(path: string, entry: TreeEntry): Promise<boolean> {
    const location = await locationOf(this.#root, entry, path);
    const { stats } = location;
    if (!stats || stats.size > this.#options.maxBytes) return false;
    const stamp = `${stats.ino}:${stats.size}:${stats.mtimeMs}:${stats.ctimeMs}`;
    if (this.#notes.get(path)?.stamp === stamp) return true;
    if (this.#length > maxTotalLength) return false;
    const bytes = await readFile(location, this.#options.maxBytes).catch(() => undefined);
    const text = bytes && decodeUtf8(bytes);
    if (text === undefined) return false;
    const note = await readNote(text, path);
    this.#remove(path);
    this.#notes.set(path, { ...note, text, stamp });
    this.#length += text.length;
    add(this.#byName, path, path);
    for (const link of note.links) add(this.#linking, link, path);
    return true;
  }

  #remove(path: string): void {
    const note = this.#notes.get(path);
    if (!note) return;
    this.#notes.delete(path);
    this.#length -= note.text.length;
    remove(this.#byName, path, path);
    for (const link of note.links) remove(this.#linking, link, path);
  }
}

const maxEntries = 20_000;

/** All texts are kept in memory for searches. */
const maxTotalLength = 64 * 1024 * 1024;

type PathsByName = Map<string, Set<string>>;

function add(paths: PathsByName, named: string, path: string): void {
  const name = foldName(nameOf(named));
  const known = paths.get(name);
  if (known) known.add(path);
  else paths.set(name, new Set([path]));
}

function remove(paths: PathsByName, named: string, path: string): void {
  const name = foldName(nameOf(named));
  const known = paths.get(name);
  if (known?.delete(path) && known.size === 0) paths.delete(name);
}
