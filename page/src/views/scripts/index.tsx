import type { JSX } from "preact";
import { Page } from "../../components/page.tsx";

export default function Scripts(): JSX.Element {
  return <Page title="Scripts" />;
}
