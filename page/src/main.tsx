import { render } from "preact";
import { App } from "./app.tsx";
import { applyTheme } from "./theme.ts";

applyTheme();
const root = document.getElementById("page");
if (root) render(<App />, root);
