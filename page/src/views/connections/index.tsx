import type { JSX } from "preact";
import { Page } from "../../components/page.tsx";

export default function Connections(): JSX.Element {
  return <Page title="Connections" />;
}
