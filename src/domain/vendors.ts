/** The agents that Baton knows by name, which is also the name of their program. */
export const VENDORS = ['claude', 'codex', 'gemini'] as const;
export type Vendor = (typeof VENDORS)[number];

/** How people call them. */
export const VENDOR_TITLES: Readonly<Record<Vendor, string>> = {
  claude: 'Claude Code',
  codex: 'Codex',
  gemini: 'Gemini CLI',
};

export function readVendor(text: string): Vendor | null {
  return VENDORS.find((vendor) => vendor === text) ?? null;
}
