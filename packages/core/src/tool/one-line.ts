/** Invisible characters, and those that change how text is displayed: controls, escapes, line ends, direction marks. */
export const invisibleCharacters = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** Replaces such characters, so that text from outside cannot forge lines or control the terminal. */
export function oneLine(text: string): string {
  return text.replaceAll(invisibleCharacters, "\ufffd");
}
