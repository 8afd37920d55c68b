import { render } from "preact";
import type { JSX } from "preact";
import "../src/effects-at-once.ts";
import { applyTheme } from "../src/theme.ts";
import { Toasts } from "../src/components/toast.tsx";
import { Charts } from "./charts.tsx";
import { Controls } from "./controls.tsx";
import { Forms } from "./forms.tsx";
import { Texts } from "./texts.tsx";

function Gallery(): JSX.Element {
  return (
    <main class="page">
      <h1>Components</h1>
      <Controls />
      <Texts />
      <Charts />
      <Forms />
      <Toasts />
    </main>
  );
}

applyTheme();
const root = document.getElementById("page");
if (root) render(<Gallery />, root);
