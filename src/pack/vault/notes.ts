import type MiniSearch from "minisearch";
import { withFolder } from "../files/list-folder.ts";
import { foldName } from "../files/names.ts";
import { readFile } from "../files/read-file.ts";
import type { Root } from "../files/root.ts";
import { decodeText } from "../files/decode-text.ts";
import { Turns } from "../files/turns.ts";
import { placeOf, walkTree } from "../files/walk-tree.ts";
import type { TreeEntry } from "../files/walk-tree.ts";
import { nameOf, readNote } from "./note.ts";
import type { Note } from "./note.ts";
import { watchNotes } from "./watch-notes.ts";
import type { NoteWatch } from "./watch-notes.ts";

/** A note that the index knows. */
export interface KnownNote extends Note {
  readonly text: string;
  /** Tells whether the file has changed since. */
  readonly stamp: string;
}

export interface NotesOptions {
  readonly maxBytes: number;
  readonly isWatched: boolean;
}

/** All notes of a vault: their words, tags and links. Only what changed is read again. */
export class Notes implements AsyncDisposable {
  readonly #root: Root;
  readonly #options: NotesOptions;
  readonly #notes = new Map<string, KnownNote>();
  readonly #byName = new Map<string, Set<string>>();
  readonly #turns = new Turns();
  #words: MiniSearch | undefined;
  #watch: NoteWatch | undefined;
  #isStale = true;
  /** Whether the vault holds more notes than are looked at. */
  isCut = false;

  constructor(root: Root, options: NotesOptions) {
    this.#root = root;
    this.#options = options;
  }

  /** By path below the vault. */
  get all(): ReadonlyMap<string, KnownNote> {
    return this.#notes;
  }

  /** Something was changed behind the back of the watch, or the watch may not have told yet. */
  changed(): void {
    this.#isStale = true;
  }

  /** Brings the index up to date: nothing to do where a watch says that nothing happened. */
  refresh(): Promise<void> {
    return this.#turns.take("refresh", () => this.#refresh());
  }

  /** The paths of all notes with this name, as `foldName` spells it. */
  named(name: string): Iterable<string> {
    return this.#byName.get(foldName(name)) ?? [];
  }

  /** Notes that hold the words of a query, or words that begin like them; the best first. */
  rank(query: string): string[] {
    return (this.#words?.search(query) ?? []).map(({ id }) => String(id));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#watch?.close();
  }

  async #refresh(): Promise<void> {
    this.#words ??= await emptyIndex();
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
    await using top = await this.#root.find([]);
    await withFolder(top, async (folder) => {
      const { isCut } = await walkTree(this.#root, folder, {
        maxEntries: mostEntries,
        visit: async (entry) => {
          if (entry.type !== "file" || !/\.md$/i.test(entry.name)) return;
          const path = entry.names.join("/");
          if (await this.#learn(path, entry)) gone.delete(path);
        },
      });
      this.isCut = isCut;
    });
    for (const path of gone) this.#forget(path);
  }

  /** False where it cannot be read as a note. */
  async #learn(path: string, entry: TreeEntry): Promise<boolean> {
    const place = await placeOf(this.#root, entry, path);
    const { stats } = place;
    if (!stats || stats.size > this.#options.maxBytes) return false;
    const stamp = `${stats.ino}:${stats.size}:${stats.mtimeMs}:${stats.ctimeMs}`;
    if (this.#notes.get(path)?.stamp === stamp) return true;
    const bytes = await readFile(place, this.#options.maxBytes).catch(() => undefined);
    const text = bytes && decodeText(bytes);
    if (text === undefined) return false;
    const note = await readNote(text, path);
    this.#forget(path);
    this.#notes.set(path, { ...note, text, stamp });
    const name = foldName(nameOf(path));
    this.#byName.set(name, (this.#byName.get(name) ?? new Set()).add(path));
    this.#words?.add({ id: path, title: note.title, name: nameOf(path), tags: note.tags.join(" "), text });
    return true;
  }

  #forget(path: string): void {
    if (!this.#notes.delete(path)) return;
    this.#words?.discard(path);
    this.#byName.get(foldName(nameOf(path)))?.delete(path);
  }
}

const mostEntries = 50_000;

async function emptyIndex(): Promise<MiniSearch> {
  const { default: MiniSearch } = await import("minisearch");
  return new MiniSearch({
    fields: ["title", "name", "tags", "text"],
    searchOptions: { prefix: true, combineWith: "AND", boost: { title: 3, name: 3, tags: 2 } },
  });
}
