import { element } from "../page/element.ts";

/** Puts text on the clipboard, by the old way where the new one is not allowed. Says whether it is there. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

function copyBySelection(text: string): boolean {
  const area = document.body.appendChild(element("textarea", { class: "hidden", attributes: { tabindex: -1 } }));
  const before = document.activeElement;
  area.value = text;
  area.select();
  // The only way for a page whose host does not pass the permission on.
  // oxlint-disable-next-line typescript/no-deprecated
  const isCopied = document.execCommand("copy");
  area.remove();
  if (before instanceof HTMLElement) before.focus();
  return isCopied;
}
