import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";

/** Marks a text wherever it is drawn in a box. The document stays as it is: the browser paints the marks. */
export function useHighlights(box: RefObject<HTMLElement | null>, wanted: string, inputs: readonly unknown[]): void {
  useEffect(() => {
    const text = wanted.trim().toLowerCase();
    if (!box.current || text === "" || !("highlights" in CSS)) return;
    const element = box.current;
    const mark = () => {
      const ranges = rangesOf(element, text);
      CSS.highlights.set(name, new Highlight(...ranges));
      return ranges;
    };
    for (const { startContainer } of mark()) openAround(startContainer);
    // Longer texts may be opened by hand.
    const observer = new MutationObserver(mark);
    observer.observe(element, { childList: true, subtree: true });
    return () => {
      observer.disconnect();
      CSS.highlights.delete(name);
    };
  }, [wanted, ...inputs]);
}

/** A folded text that has a match is opened. */
function openAround(node: Node): void {
  const folded = node.parentElement?.closest("details:not([open])");
  if (folded instanceof HTMLDetailsElement) folded.open = true;
}

/** `::highlight(trace-search)` in trace.css */
const name = "trace-search";
const maxRanges = 2000;

function rangesOf(element: HTMLElement, text: string): Range[] {
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  while (walker.nextNode() && ranges.length < maxRanges) {
    const node = walker.currentNode;
    const own = (node.nodeValue ?? "").toLowerCase();
    for (let at = own.indexOf(text); at >= 0 && ranges.length < maxRanges; at = own.indexOf(text, at + text.length)) {
      const range = document.createRange();
      // Lower case may be longer than the original.
      const length = node.nodeValue?.length ?? 0;
      range.setStart(node, Math.min(at, length));
      range.setEnd(node, Math.min(at + text.length, length));
      ranges.push(range);
    }
  }
  return ranges;
}
