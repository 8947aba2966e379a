/**
 * Whether a text may hold a summary block. Hooks run on every turn of an agent, and most turns have none, so this saves the
 * reader. True when in doubt. A block is a fence with the key `handoff`; the plain form has two words; a transcript has
 * either of them in JSON.
 */
export function mayHoldBlock(text: string): boolean {
  if (/^\s*\{/.test(text)) return /handoff|next agent/i.test(text);
  if (/```|~~~/.test(text) && /handoff/i.test(text)) return true;
  return text.includes('COMPLETE') && /next agent/i.test(text);
}
