import { render } from "preact";
import { App } from "./app.tsx";
import "./effects-at-once.ts";
import { place } from "./router.ts";
import { applyTheme } from "./theme.ts";
import { views } from "./views.ts";

applyTheme();
// The view is fetched while the server is still asked who it is.
const wanted = place.value.view === "" ? "overview" : place.value.view;
views
  .find(({ route }) => route === wanted)
  ?.load()
  .catch(() => undefined); // the outlet tries again, and says so
const root = document.getElementById("page");
if (root) render(<App />, root);
