/** What a server said, for a terminal: it must not forge lines or steer it. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, "\ufffd");
}
