/** What changed between two texts, as one hunk from the first changed line to the last. */
export function unifiedDiff(before: string, after: string, path: string): string {
  const [old, now] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  const head = `--- ${path}\toriginal\n+++ ${path}\tmodified\n`;
  if (start === old.length && start === now.length) return head;
  const from = Math.max(0, start - context);
  const tail = Math.max(0, end - context);
  const hunk = [
    ...old.slice(from, start).map((line) => ` ${line}`),
    ...old.slice(start, old.length - end).map((line) => `-${line}`),
    ...now.slice(start, now.length - end).map((line) => `+${line}`),
    ...old.slice(old.length - end, old.length - tail).map((line) => ` ${line}`),
  ];
  const spans = `@@ -${span(from, old.length - tail)} +${span(from, now.length - tail)} @@\n`;
  return (
    head + spans + hunk.map((line) => (line.endsWith("\n") ? line : `${line}\n\\ No newline at end of file\n`)).join("")
  );
}

const context = 3;

function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function span(from: number, to: number): string {
  return `${to > from ? from + 1 : from},${to - from}`;
}
