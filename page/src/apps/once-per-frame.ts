/** Runs at most once in each frame of the browser, however often it is asked to; `cancel` when nobody looks any more. */
export function oncePerFrame(run: () => void): { ask(): void; cancel(): void } {
  let frame: number | undefined;
  return {
    ask: () => {
      frame ??= requestAnimationFrame(() => {
        frame = undefined;
        run();
      });
    },
    cancel: () => {
      if (frame !== undefined) cancelAnimationFrame(frame);
      frame = undefined;
    },
  };
}
