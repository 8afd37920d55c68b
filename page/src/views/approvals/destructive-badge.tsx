import type { JSX } from "preact";
import { Badge } from "../../components/badge.tsx";

export function DestructiveBadge(): JSX.Element {
  return (
    <Badge tone="bad" title="The tool declares that it may delete or overwrite data">
      destructive
    </Badge>
  );
}
