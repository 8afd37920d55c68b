import type { ComponentChildren, JSX } from "preact";
import { useEffect } from "preact/hooks";
import { Logo } from "../components/logo.tsx";
import { ThemeMenu } from "../components/theme-menu.tsx";

/** The frame of the sign-in and setup pages. */
export function Welcome(props: {
  readonly title: string;
  readonly about?: ComponentChildren;
  readonly children: ComponentChildren;
}): JSX.Element {
  useEffect(() => {
    document.title = `${props.title} · Biplane`;
  }, [props.title]);
  return (
    <div class="welcome">
      <div class="welcome-theme">
        <ThemeMenu />
      </div>
      <Sky />
      <main class="welcome-box">
        <div class="row welcome-brand">
          <Logo size={44} />
          <span>
            Biplane
            <span class="welcome-product">Watch agents, approve their actions, review their runs.</span>
          </span>
        </div>
        <h1>{props.title}</h1>
        {props.about !== undefined && <p class="muted">{props.about}</p>}
        {props.children}
      </main>
    </div>
  );
}

/** Decorative background. */
function Sky(): JSX.Element {
  return (
    <svg class="sky" viewBox="0 0 1200 800" preserveAspectRatio="xMidYMid slice" aria-hidden="true">
      {Array.from({ length: 9 }, (_, at) => {
        const y = 90 + at * 78;
        return (
          <path
            key={at}
            d={`M-40 ${y} C 260 ${y - 90 + at * 9}, 520 ${y + 80 - at * 6}, 800 ${y - 10} S 1160 ${y - 60}, 1260 ${y + 10}`}
          />
        );
      })}
    </svg>
  );
}
