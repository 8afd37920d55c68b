import type { JSX } from "preact";
import { theme, themes } from "../theme.ts";
import { Icon } from "./icon.tsx";
import { Menu } from "./menu.tsx";

const icons = { system: "system", light: "sun", dark: "moon" } as const;
const titles = { system: "System", light: "Light", dark: "Dark" };

export function ThemeMenu(): JSX.Element {
  return (
    <Menu
      label="Theme"
      class="button button-quiet button-usual button-icon"
      items={themes.map((each) => ({
        title: titles[each],
        icon: icons[each],
        isChecked: theme.value === each,
        run: () => {
          theme.value = each;
        },
      }))}
    >
      <Icon name={icons[theme.value]} />
    </Menu>
  );
}
