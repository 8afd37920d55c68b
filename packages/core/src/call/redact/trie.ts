import type { LabelledForm } from "./forms.ts";

/**
 * A radix tree of forms: its size depends on the number of forms, not on their length. Lookup ignores case; a
 * case-sensitive form is compared exactly at its end.
 */
export interface Trie {
  /** The characters from the parent to this node. */
  edge: string;
  forms: LabelledForm[] | undefined;
  children: Map<number, Trie> | undefined;
}

export function createTrie(forms: readonly LabelledForm[]): Trie {
  const root: Trie = { edge: "", forms: undefined, children: undefined };
  for (const form of forms) insert(root, form);
  return root;
}

export interface Walk {
  /** The longest form that starts at the given position. */
  readonly form: LabelledForm | undefined;
  readonly end: number;
  /** Whether the text ended before the lookup did. */
  readonly isOpen: boolean;
}

export function walk(root: Trie, text: string, start: number): Walk {
  let node = root;
  let at = start;
  let form: LabelledForm | undefined;
  let end = start;
  for (;;) {
    const found = node.forms && formSpelled(node.forms, text.slice(start, at));
    if (found) {
      form = found;
      end = at;
    }
    if (at === text.length) return { form, end, isOpen: node.children !== undefined };
    const next = node.children?.get(fold(text.charCodeAt(at)));
    if (!next) return { form, end, isOpen: false };
    // Compare the rest of a single form as a whole, which is far faster than by character.
    const isWhole = !next.children && at + next.edge.length <= text.length;
    const shared = isWhole ? next.edge.length : sharedLength(next.edge, text, at);
    at += shared;
    if (shared < next.edge.length) return { form, end, isOpen: at === text.length };
    node = next;
  }
}

/** ASCII only: other letters can change length with case. */
function fold(code: number): number {
  return code >= 65 && code <= 90 ? code + 32 : code;
}

function formSpelled(forms: readonly LabelledForm[], found: string): LabelledForm | undefined {
  return forms.find(({ text, tidy }) => text === (tidy ? tidy(found) : found));
}

function insert(root: Trie, form: LabelledForm): void {
  const path = folded(form.text);
  let node = root;
  let at = 0;
  while (at < path.length) {
    const next = node.children?.get(path.charCodeAt(at));
    if (!next) {
      node.children ??= new Map();
      node.children.set(path.charCodeAt(at), { edge: path.slice(at), forms: [form], children: undefined });
      return;
    }
    const shared = sharedLength(next.edge, path, at);
    if (shared < next.edge.length) split(next, shared);
    at += shared;
    node = next;
  }
  (node.forms ??= []).push(form);
}

function folded(text: string): string {
  if (/^[\0-\x7f]*$/.test(text)) return text.toLowerCase();
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function sharedLength(edge: string, text: string, at: number): number {
  const max = Math.min(edge.length, text.length - at);
  let shared = 1;
  while (shared < max && edge.charCodeAt(shared) === fold(text.charCodeAt(at + shared))) shared++;
  return shared;
}

function split(node: Trie, at: number): void {
  const lower: Trie = { edge: node.edge.slice(at), forms: node.forms, children: node.children };
  node.edge = node.edge.slice(0, at);
  node.forms = undefined;
  node.children = new Map([[lower.edge.charCodeAt(0), lower]]);
}
