import type { JSX } from "preact";
import { Page } from "../../components/page.tsx";

export default function Secrets(): JSX.Element {
  return <Page title="Secrets" />;
}
