import type { BrowserContext, Page } from "playwright-core";

/** Times from an input to a painted frame, measured in the page. */
export interface Reaction {
  /** From the input to the next frame. */
  readonly feedbackMs: number;
  /** From the input to the first frame with what was asked for. */
  readonly contentMs: number;
}

/** Adds the stopwatch to every page of a context, before the page's own scripts run. */
export async function addWatch(context: BrowserContext): Promise<void> {
  await context.addInitScript(watch);
}

/** Time from navigation to the first frame in which the test is true. */
export function painted(page: Page, test: string): Promise<number> {
  return page.evaluate(`watch.until(() => ${test})`);
}

/**
 * Makes an input and waits until `test` is true. The clock starts with the event of that type. `test` may use `before`,
 * the value of `of` at the time of the input.
 */
export async function reaction(page: Page, { type, of = "0", test, input }: ReactionOptions): Promise<Reaction> {
  await page.evaluate(`watch.arm(${JSON.stringify(type)}, () => ${of}, (before) => ${test})`);
  await input();
  return page.evaluate("watch.reaction");
}

export interface ReactionOptions {
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
  /** Resolves with the first frame in which the test is true. Checks on DOM changes, because polling would cost frames. */
  until(test) {
    return new Promise((resolve, reject) => {
      const look = () => {
        if (!test()) return;
        observer.disconnect();
        clearTimeout(timer);
        this.afterFrame().then(resolve);
      };
      const observer = new MutationObserver(look);
      const late = () => reject(new Error("Not true within 30 s: " + test));
      const timer = setTimeout(late, 30_000);
      observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
      look();
    });
  },
  arm(type, of, test) {
    const before = of();
    this.reaction = new Promise((resolve, reject) => addEventListener(type, (event) => {
      const since = event.timeStamp;
      const feedback = this.afterFrame();
      const content = this.until(() => test(before));
      const measured = ([first, last]) => resolve({ feedbackMs: first - since, contentMs: last - since });
      Promise.all([feedback, content]).then(measured, reject);
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
