/** How deep JSON from outside may nest. Real messages stay far below. */
const maxDepth = 128;

/**
 * Whether JSON text nests deeper than anything honest. Text with few brackets cannot, and most text is settled by
 * counting them; only the rest is read character by character.
 */
export function nestsTooDeep(text: string): boolean {
  if (text.length <= maxDepth) return false;
  let brackets = 0;
  for (let at = text.indexOf("["); at >= 0 && brackets <= maxDepth; at = text.indexOf("[", at + 1)) brackets++;
  for (let at = text.indexOf("{"); at >= 0 && brackets <= maxDepth; at = text.indexOf("{", at + 1)) brackets++;
  return brackets > maxDepth && scan(text);
}

function scan(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22: // a string: brackets in it do not count
        at = endOfString(text, at);
        break;
      case 0x5b:
      case 0x7b:
        if (++depth > maxDepth) return true;
        break;
      case 0x5d:
      case 0x7d:
        depth--;
        break;
      default:
    }
  }
  return false;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === 0x22) return at;
    at += code === 0x5c ? 2 : 1;
  }
  return at;
}
