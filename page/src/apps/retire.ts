/**
 * Moves an app's iframe out of an element that is about to unmount, without reloading it, so that the app can still
 * handle teardown. Browsers without `moveBefore` unload it immediately.
 */
export function retire(container: HTMLElement): void {
  const frame = container.querySelector("iframe");
  if (!frame || !("moveBefore" in Element.prototype)) return;
  let holder = document.querySelector<HTMLElement>(".app-retired");
  if (!holder) {
    holder = document.createElement("div");
    holder.className = "app-retired";
    holder.hidden = true;
    document.body.append(holder);
  }
  (holder as HTMLElement & { moveBefore(node: Node, child: null): void }).moveBefore(frame, null);
}
