import type { JSX } from "preact";
import { Page } from "../../components/page.tsx";

export default function Tools(): JSX.Element {
  return <Page title="Tools" />;
}
