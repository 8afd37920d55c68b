import type { Frame, Key, Size } from "./screen.ts";

/** One thing on the screen at a time; those beneath it come back when it is closed. */
export interface View {
  frame(size: Size): Frame;
  key(key: Key): void;
}

/** What a view can do to the whole. */
export interface Stage {
  show(view: View): void;
  /** Takes a view away, wherever it is. */
  close(view: View): void;
  redraw(): void;
  quit(): void;
}
