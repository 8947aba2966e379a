/** The vendors of agents that Baton supports, named after their programs. */
export const VENDORS = ['claude', 'codex', 'gemini'] as const;
export type Vendor = (typeof VENDORS)[number];

/** Names for display. */
export const VENDOR_TITLES: Readonly<Record<Vendor, string>> = {
  claude: 'Claude Code',
  codex: 'Codex',
  gemini: 'Gemini CLI',
};

export function readVendor(text: string): Vendor | null {
  return VENDORS.find((vendor) => vendor === text) ?? null;
}
