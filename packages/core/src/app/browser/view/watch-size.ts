import type { SizeParams } from "../bridge/messages.ts";

/** Reports the size of the content now and after each change, at most once per frame. Returns a stop function. */
export function watchSize(report: (size: SizeParams) => void): () => void {
  let last: SizeParams = {};
  let frame = 0;
  const measure = () => {
    frame = 0;
    const { style } = document.documentElement;
    const { height } = style;
    // Measure the content, not the frame: a page that fills its frame could otherwise never shrink.
    style.height = "max-content";
    const size = { width: innerWidth, height: Math.ceil(document.documentElement.getBoundingClientRect().height) };
    style.height = height;
    if (size.width === last.width && size.height === last.height) return;
    last = size;
    report(size);
  };
  const observer = new ResizeObserver(() => (frame ||= requestAnimationFrame(measure)));
  for (const element of document.querySelectorAll("html, body")) observer.observe(element);
  return () => {
    observer.disconnect();
    cancelAnimationFrame(frame);
  };
}
