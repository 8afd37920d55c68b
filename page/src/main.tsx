import { render } from "preact";
import { App } from "./app.tsx";
import "./effects-at-once.ts";
import { pageLocation } from "./router.ts";
import { applyTheme } from "./theme.ts";
import { loadView } from "./views.ts";

applyTheme();
// Preloads the view while the session is checked.
const wanted = pageLocation.value.view === "" ? "overview" : pageLocation.value.view;
loadView(wanted).catch(() => undefined); // the outlet tries again and shows the error
const root = document.getElementById("page");
if (root) render(<App />, root);
