import { connectView } from "biplane/apps/view";

document.body.innerHTML = `<input type="color"> <input type="color"> <output>mixed</output>`;
const [first, second] = document.querySelectorAll("input");
const output = document.querySelector("output");

const show = ({ structuredContent }) => (output.style.background = structuredContent.mixed);
const view = connectView({
  name: "colours",
  version: "1.0.0",
  onInput: (input) => ([first.value, second.value] = [input.first, input.second]),
  onResult: show,
});
document.body.addEventListener("change", () => {
  void view.callTool("colours_mix", { first: first.value, second: second.value }).then(show);
});
