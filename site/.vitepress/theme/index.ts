import { useData } from "vitepress";
import type { Theme } from "vitepress";
import theme from "vitepress/theme-without-fonts";
import { onMounted, watch } from "vue";
import "./style.css";

export default {
  extends: theme,
  setup() {
    // Documents have a main element; the home page has none.
    const { frontmatter } = useData();
    const markMain = () => {
      const content = document.querySelector("#VPContent");
      if (frontmatter.value["layout"] === "home") content?.setAttribute("role", "main");
      else content?.removeAttribute("role");
    };
    onMounted(markMain);
    watch(frontmatter, markMain, { flush: "post" });
  },
} satisfies Theme;
