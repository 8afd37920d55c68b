import type { JSX } from "preact";

/** The Biplane logo. */
export function Logo({ size = 28 }: { readonly size?: number }): JSX.Element {
  return (
    <svg class="logo" viewBox="0 0 32 32" width={size} height={size} aria-hidden="true">
      <rect class="logo-background" width="32" height="32" rx="7.5" />
      <g class="logo-plane" transform="rotate(-9 16 16)">
        <path class="logo-planes" d="M4 9.4h24M7 21.8h18" />
        <path class="logo-strut" d="m8.8 10 1.6 11M23.2 10l-1.6 11" />
        <circle class="logo-body" cx="16" cy="15.6" r="4.3" />
      </g>
    </svg>
  );
}
