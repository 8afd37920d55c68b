import type { BrowserContext, Page } from "playwright-core";

/** When a frame with something new on it was painted, as the page itself sees it. */
export interface Reaction {
  /** From the input to the next frame. */
  readonly feedbackMs: number;
  /** From the input to the first frame with what was asked for. */
  readonly contentMs: number;
}

/** Puts the stopwatch into every page of a context, before anything of the page runs. */
export async function addWatch(context: BrowserContext): Promise<void> {
  await context.addInitScript(watch);
}

/** How long after the navigation a frame was painted in which the test held. */
export function painted(page: Page, test: string): Promise<number> {
  return page.evaluate(`watch.until(() => ${test})`);
}

/**
 * Makes an input and waits for what it is to bring. The clock starts with the event of that type, and `test` is an
 * expression that may use `before`, which is `of` as it was when the input was made.
 */
export async function reaction(page: Page, { type, of = "0", test, input }: ReactionWish): Promise<Reaction> {
  await page.evaluate(`watch.arm(${JSON.stringify(type)}, () => ${of}, (before) => ${test})`);
  await input();
  return page.evaluate("watch.reaction");
}

export interface ReactionWish {
  readonly type: "click" | "keydown" | "change" | "hashchange";
  readonly of?: string;
  readonly test: string;
  readonly input: () => Promise<unknown>;
}

const watch = `
globalThis.watch = {
  afterFrame() {
    return new Promise((resolve) => requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => { port1.close(); resolve(performance.now()); };
      port2.postMessage(0);
    }));
  },
  /** The first frame that shows what the test wants. It is asked when something changes: frames of its own would cost. */
  until(test) {
    return new Promise((resolve, reject) => {
      const look = () => {
        if (!test()) return;
        observer.disconnect();
        clearTimeout(timer);
        this.afterFrame().then(resolve);
      };
      const observer = new MutationObserver(look);
      const late = () => reject(new Error("it was not seen within 30 s: " + test));
      const timer = setTimeout(late, 30_000);
      observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
      look();
    });
  },
  arm(type, of, test) {
    const before = of();
    this.reaction = new Promise((resolve) => addEventListener(type, (event) => {
      const since = event.timeStamp;
      const feedback = this.afterFrame();
      const content = this.until(() => test(before));
      Promise.all([feedback, content]).then(([first, last]) => resolve({ feedbackMs: first - since, contentMs: last - since }));
    }, { capture: true, once: true }));
  },
  /** Long tasks and the gaps between frames, from now on. */
  start() {
    const found = { longTasks: [], frames: 0, dropped: 0, isOver: false };
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) found.longTasks.push(duration);
    }).observe({ type: "longtask" });
    let last = performance.now();
    const look = (now) => {
      found.frames++;
      found.dropped += Math.max(0, Math.round((now - last) / (1000 / 60)) - 1);
      last = now;
      if (!found.isOver) requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
    this.found = found;
  },
};
`;
