import type { JSX } from "preact";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { Button } from "./button.tsx";

/** Which parts of something were read before a person decides about it. */
export interface Reading {
  /** True once the end of every part was on the screen with nothing folded. */
  readonly isDone: boolean;
  /** True if a part is known to be folded or to end outside the screen. */
  readonly hasUnread: boolean;
  /** True if folded parts are unfolded. */
  readonly isWhole: boolean;
  /** Unfolds everything. */
  readonly unfold: () => void;
  /** Unfolds everything and scrolls to what was not read. */
  readonly showRest: () => void;
  readonly isRead: (part: string) => boolean;
  readonly report: (part: string, isRead: boolean) => void;
}

/** Tracks the reading of these parts, each in a `ReadToEnd`. */
export function useReading(parts: readonly string[]): Reading {
  const [read, setRead] = useState<Readonly<Record<string, boolean>>>({});
  const [isWhole, setWhole] = useState(false);
  const report = useCallback(
    (part: string, isRead: boolean) => setRead((last) => (last[part] === true ? last : { ...last, [part]: isRead })),
    [],
  );
  const unfold = useCallback(() => setWhole(true), []);
  const showRest = useCallback(() => {
    unfold();
    requestAnimationFrame(() => document.querySelector("[data-unread-end]")?.scrollIntoView({ block: "end" }));
  }, []);
  return {
    isDone: parts.every((part) => read[part] === true),
    hasUnread: parts.some((part) => read[part] === false),
    isWhole,
    unfold,
    showRest,
    isRead: (part) => read[part] === true,
    report,
  };
}

/**
 * Content that must be read before a decision: it counts as read when its end is on the screen and nothing of it is
 * folded. The author of the content can therefore not hide a part of it below the fold.
 */
export function ReadToEnd(props: {
  readonly part: string;
  readonly reading: Reading;
  /** True if the content hides something until everything is shown. */
  readonly isFolded: boolean;
  readonly children: (isWhole: boolean) => JSX.Element;
}): JSX.Element {
  const { part, reading, isFolded, children } = props;
  const end = useRef<HTMLDivElement>(null);
  const { isWhole, report, unfold } = reading;
  const isRead = reading.isRead(part);
  const isComplete = isWhole || !isFolded;
  useEffect(() => {
    if (isRead || !end.current) return;
    if (!isComplete) return report(part, false);
    const watcher = new IntersectionObserver((entries) =>
      report(
        part,
        entries.some(({ isIntersecting }) => isIntersecting),
      ),
    );
    watcher.observe(end.current);
    return () => watcher.disconnect();
  }, [isComplete, isRead, report, part]);
  return (
    <>
      <div
        onClickCapture={(event) => {
          // One button of several shows the rest of everything, as only that counts as read.
          if (isComplete || !(event.target instanceof Element) || !event.target.closest(".more")) return;
          event.stopPropagation();
          unfold();
        }}
      >
        {children(isComplete)}
      </div>
      <div ref={end} class="read-end" data-unread-end={isRead ? undefined : ""} />
    </>
  );
}

/** Says beside the buttons that something was not read yet. */
export function UnreadNotice({ reading }: { readonly reading: Reading }): JSX.Element | null {
  if (!reading.hasUnread) return null;
  return (
    <div class="unread-notice" role="status">
      <span class="grow">Not all of the input is on the screen. Read it to the end to approve.</span>
      <Button size="small" icon="down" onClick={reading.showRest}>
        Show the rest
      </Button>
    </div>
  );
}
