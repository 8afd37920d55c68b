import type { JSX } from "preact";
import { Page } from "../../components/page.tsx";

export default function Audit(): JSX.Element {
  return <Page title="Audit" />;
}
