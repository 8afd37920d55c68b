import type { ComponentChildren, JSX } from "preact";
import { useEffect } from "preact/hooks";
import { documentTitle, waitingCount } from "../waiting-alerts.ts";
import { Icon } from "./icon.tsx";
import { Text } from "./text.tsx";

/** The frame of every view: heading, actions and content. */
export function Page(props: {
  readonly title: string;
  /** Next to the heading: a badge, a count. */
  readonly aside?: ComponentChildren;
  readonly about?: ComponentChildren;
  /** Link to the parent view: `{ title: "Runs", href: href("runs") }`, and what is next to it. */
  readonly parent?: { readonly title: string; readonly href: string; readonly aside?: ComponentChildren } | undefined;
  readonly actions?: ComponentChildren;
  /** Limits the width, for tables with few columns. */
  readonly isNarrow?: boolean;
  readonly children?: ComponentChildren;
}): JSX.Element {
  const { title, aside, about, parent, actions, isNarrow = false, children } = props;
  const waiting = waitingCount.value;
  useEffect(() => {
    document.title = documentTitle(title);
  }, [title, waiting]);
  return (
    <div class={isNarrow ? "page page-narrow" : "page"}>
      <header class="page-head">
        <div class="page-title">
          {parent && (
            <div class="row">
              <a class="page-parent" href={parent.href}>
                <Icon name="left" size={14} /> {parent.title}
              </a>
              {parent.aside}
            </div>
          )}
          <div class="row">
            <h1 tabIndex={-1}>
              <Text value={title} maxLength={300} isFixed />
            </h1>
            {aside}
          </div>
          {about !== undefined && <p class="muted">{about}</p>}
        </div>
        {Boolean(actions) && <div class="page-actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

/** A bordered section of a page. */
export function Card(props: {
  readonly title?: ComponentChildren;
  readonly actions?: ComponentChildren;
  /** Without padding, for tables and code blocks. */
  readonly isFlush?: boolean;
  readonly class?: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  const { title, actions, isFlush = false, children } = props;
  return (
    <section class={`card ${isFlush ? "card-flush" : ""} ${props.class ?? ""}`}>
      {(title !== undefined || actions !== undefined) && (
        <header class="card-head">
          {title !== undefined && <h2>{title}</h2>}
          {actions !== undefined && <div class="card-actions">{actions}</div>}
        </header>
      )}
      <div class="card-body">{children}</div>
    </section>
  );
}

export type Fact = readonly [name: string, value: ComponentChildren];

/** Name-value pairs in two columns, without those that are false. */
export function Facts({ facts }: { readonly facts: readonly (Fact | false)[] }): JSX.Element {
  return (
    <dl class="facts">
      {facts.map(
        (fact) =>
          fact && (
            <div key={fact[0]}>
              <dt>{fact[0]}</dt>
              <dd>{fact[1]}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

/** One large figure. */
export function Figure(props: {
  readonly title: string;
  readonly value: ComponentChildren;
  readonly about?: ComponentChildren;
  /** Tooltip. */
  readonly hint?: string;
  readonly tone?: "good" | "bad" | "warn" | "info" | undefined;
  readonly href?: string | undefined;
  readonly children?: ComponentChildren;
}): JSX.Element {
  const { title, value, about, hint, tone, href, children } = props;
  const inner = (
    <>
      <span class="figure-title">{title}</span>
      <span class={`figure-value ${tone ? `text-${tone}` : ""}`}>{value}</span>
      {about !== undefined && <span class="figure-about">{about}</span>}
      {children}
    </>
  );
  return href === undefined ? (
    <div class="figure" title={hint}>
      {inner}
    </div>
  ) : (
    <a class="figure" href={href} title={hint}>
      {inner}
    </a>
  );
}
