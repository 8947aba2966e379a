/**
 * Whether a text is worth the reader of summary blocks, for hooks: they run on every turn of an agent, and most of what
 * agents say has none. When in doubt, yes: whoever reads it decides.
 */

/** A block is a fence with this key, and the plain form has these two; a transcript hides both in JSON. */
export function mayHoldBlock(text: string): boolean {
  if (/^\s*\{/.test(text)) return /handoff|next agent/i.test(text);
  if (/```|~~~/.test(text) && /handoff/i.test(text)) return true;
  return text.includes('COMPLETE') && /next agent/i.test(text);
}
