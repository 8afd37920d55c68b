import type { JSX } from "preact";
import { Page } from "../../components/page.tsx";

export default function Approvals(): JSX.Element {
  return <Page title="Approvals" />;
}
