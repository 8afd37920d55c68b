import { render } from "preact";
import { App } from "./app.tsx";
import "./effects-at-once.ts";
import { pageLocation } from "./router.ts";
import { applyTheme } from "./theme.ts";
import { views } from "./views.ts";

applyTheme();
// Preloads the view while the session is checked.
const wanted = pageLocation.value.view === "" ? "overview" : pageLocation.value.view;
views
  .find(({ route }) => route === wanted)
  ?.load()
  .catch(() => undefined); // the outlet tries again and shows the error
const root = document.getElementById("page");
if (root) render(<App />, root);
