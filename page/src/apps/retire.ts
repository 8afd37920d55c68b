/**
 * Takes an app's frame out of a part of the page that is about to go, without reloading it, so that the app can still be
 * asked to put its things in order. Browsers that cannot do that let it go at once.
 */
export function retire(container: HTMLElement): void {
  const frame = container.querySelector("iframe");
  if (!frame || !("moveBefore" in Element.prototype)) return;
  let limbo = document.querySelector<HTMLElement>(".app-limbo");
  if (!limbo) {
    limbo = document.createElement("div");
    limbo.className = "app-limbo";
    limbo.hidden = true;
    document.body.append(limbo);
  }
  (limbo as HTMLElement & { moveBefore(node: Node, child: null): void }).moveBefore(frame, null);
}
