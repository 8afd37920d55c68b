import type { ComponentChildren, JSX } from "preact";
import { ApiError, messageOf } from "../api.ts";
import type { Resource } from "../resource.ts";
import type { Tone } from "./badge.tsx";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";
import type { IconName } from "./icon.tsx";
import { Text } from "./text.tsx";

/** An empty state: why it is empty and what to do next. */
export function Empty(props: {
  readonly title: string;
  readonly icon?: IconName;
  /** `warn` for what should not stay so. */
  readonly tone?: Tone;
  readonly children?: ComponentChildren;
  /** Buttons and links to the next step. */
  readonly actions?: ComponentChildren;
}): JSX.Element {
  return (
    <div class="empty">
      {props.icon && (
        <span class={`empty-icon tone-${props.tone ?? "plain"}`}>
          <Icon name={props.icon} size={20} />
        </span>
      )}
      <p class="empty-title">{props.title}</p>
      {props.children !== undefined && <div class="empty-about">{props.children}</div>}
      {Boolean(props.actions) && <div class="row empty-actions">{props.actions}</div>}
    </div>
  );
}

/** An error message with an optional retry button. */
export function Problem({ error, retry }: { readonly error: unknown; readonly retry?: () => void }): JSX.Element {
  return (
    <div class="problem" role="alert">
      <Icon name="warn" />
      <div class="grow">
        <Text value={messageOf(error)} />
        {error instanceof ApiError && error.status === 403 && (
          <p class="muted">You are signed in but lack permission for this. Ask the administrator for the scope.</p>
        )}
      </div>
      {retry && (
        <Button size="small" icon="refresh" onClick={retry}>
          Try again
        </Button>
      )}
    </div>
  );
}

/** A loading placeholder. */
export function Loading({
  rows = 3,
  label = "Loading",
}: {
  readonly rows?: number;
  readonly label?: string;
}): JSX.Element {
  return (
    <div class="loading" role="status" aria-label={label}>
      {Array.from({ length: rows }, (_, at) => (
        <span key={at} class="skeleton" style={{ width: `${[92, 76, 84, 61][at % 4]}%` }} />
      ))}
    </div>
  );
}

/** Renders a resource, its loading state or its error: `<Loaded resource={run}>{(run) => …}</Loaded>`. */
export function Loaded<T>(props: {
  readonly resource: Resource<T>;
  readonly rows?: number;
  readonly children: (data: T) => ComponentChildren;
}): JSX.Element {
  const { data, error, reload } = props.resource;
  return (
    <>
      {error !== undefined && <Problem error={error} retry={reload} />}
      {data !== undefined ? props.children(data) : error === undefined && <Loading rows={props.rows ?? 4} />}
    </>
  );
}
