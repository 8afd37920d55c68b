import { Turns } from "@biplane/core/internal";

/**
 * True if a robots.txt allows this agent to fetch a path. The longest matching rule decides; ties allow. A hostile site
 * has ten thousands of rules that nearly match, so other work gets its turn in between.
 */
export async function robotsAllow(robotsText: string, options: { agent: string; path: string }): Promise<boolean> {
  const turns = new Turns();
  const rules = await rulesFor(robotsText.slice(0, 500_000), options.agent.toLowerCase(), turns);
  let best = { length: -1, allows: true };
  for (const { pattern, allows } of rules) {
    await turns.next();
    const isBetter = pattern.length > best.length || (pattern.length === best.length && allows);
    if (isBetter && matches(pattern, options.path)) best = { length: pattern.length, allows };
  }
  return best.allows;
}

interface Rule {
  readonly pattern: string;
  readonly allows: boolean;
}

/** The rules of all groups that name the agent, else those for `*`. */
async function rulesFor(text: string, agent: string, turns: Turns): Promise<readonly Rule[]> {
  const named: Rule[] = [];
  const general: Rule[] = [];
  let isNamed = false;
  let isGeneral = false;
  let isNaming = false;
  let hasNamed = false;
  for (const line of text.split(/\r\n|\r|\n/)) {
    await turns.next();
    const [, key = "", value = ""] = /^\s*([A-Za-z-]+)\s*:\s*([^#]*)/.exec(line) ?? [];
    switch (key.toLowerCase()) {
      case "user-agent": {
        if (!isNaming) isNamed = isGeneral = false;
        isNaming = true;
        const name = value.trim().toLowerCase();
        if (name === "*") isGeneral = true;
        else if (name !== "" && agent.startsWith(name)) isNamed = hasNamed = true;
        break;
      }
      case "allow":
      case "disallow": {
        isNaming = false;
        const rule = { pattern: value.trim(), allows: key.toLowerCase() === "allow" };
        if (rule.pattern === "") break;
        if (isNamed) named.push(rule);
        if (isGeneral) general.push(rule);
      }
    }
  }
  return hasNamed ? named : general;
}

/** `*` matches anything, a final `$` matches the end. Takes at most pattern × path steps. */
function matches(pattern: string, path: string): boolean {
  const isWhole = pattern.endsWith("$");
  const pieces = (isWhole ? pattern.slice(0, -1) : pattern).split("*");
  let at = 0;
  for (const [index, piece] of pieces.entries()) {
    const isLast = index === pieces.length - 1;
    if (index === 0) {
      if (!path.startsWith(piece)) return false;
      at = piece.length;
      if (isLast && isWhole) return path.length === at;
      continue;
    }
    if (isLast && isWhole) return path.length - piece.length >= at && path.endsWith(piece);
    const found = path.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return true;
}
