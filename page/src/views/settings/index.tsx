import type { JSX } from "preact";
import { Page } from "../../components/page.tsx";

export default function Settings(): JSX.Element {
  return <Page title="Settings" />;
}
