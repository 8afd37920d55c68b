/** The commands of a shell script, each as its words without quotes. Comments and redirections are left out. */
export function shellCommands(script: string): string[][] {
  const commands: string[][] = [[]];
  const tokens = script.replaceAll("\\\n", " ").matchAll(token);
  for (const [text, comment, operator, word] of tokens) {
    if (comment !== undefined) continue;
    if (operator !== undefined || text === "\n") commands.push([]);
    else if (word !== undefined) commands.at(-1)?.push(word.replaceAll(/'([^']*)'|"([^"]*)"/g, "$1$2"));
  }
  return commands.filter((words) => words.length > 0);
}

/** A comment, an operator that ends a command, a word, or the end of a line. */
const token = /(?<=^|\s)(#[^\n]*)|([|&;()]+|\$\(|[<>](?=\s))|((?:'[^']*'|"[^"]*"|[^\s'"|&;()])+)|\n/gm;
