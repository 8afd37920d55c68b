import type { JSX } from "preact";
import { Page } from "../../components/page.tsx";

export default function Runs(): JSX.Element {
  return <Page title="Runs" />;
}
