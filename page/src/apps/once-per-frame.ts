/** Coalesces calls of `schedule` into one run per animation frame. Call `cancel` on unmount. */
export function oncePerFrame(run: () => void): { schedule(): void; cancel(): void } {
  let frame: number | undefined;
  return {
    schedule: () => {
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
