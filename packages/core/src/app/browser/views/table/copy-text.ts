import { element } from "../page/element.ts";

/** Copies text to the clipboard. Returns whether it worked. */
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
  // Works without the clipboard permission, which some hosts do not grant.
  // oxlint-disable-next-line typescript/no-deprecated
  const isCopied = document.execCommand("copy");
  area.remove();
  if (before instanceof HTMLElement) before.focus();
  return isCopied;
}
