import type { JSX } from "preact";
import { Page } from "../../components/page.tsx";

export default function Live(): JSX.Element {
  return <Page title="Live calls" />;
}
