/**
 * What a hook's look for work needs of a `baton.yaml` that no command has read since it was changed. To check all the rest
 * takes the agent half as long as the look itself, and is done by the next command.
 */
import { parse } from 'yaml';
import { tooDeepAt } from '../formats/document/tokens.ts';
import type { ConfigurationText } from './configuration-shape.ts';

export type LookSettings = Pick<ConfigurationText, 'database' | 'wake'>;

const CHARS_MAX = 256 * 1024;
/** As `configuration.ts` reads it. */
const OPTIONS = { strict: true, uniqueKeys: true, maxAliasCount: 50, logLevel: 'error' } as const;

/** Null: whoever reads all of it has to say what is wrong. */
export function lookSettingsIn(source: string): LookSettings | null {
  if (source.length > CHARS_MAX || tooDeepAt(source) !== null) return null;
  const all = mapOf(valueIn(source) ?? {});
  const wake = mapOf(all?.['wake'] ?? {});
  const { database } = all ?? {};
  const { hooks } = wake ?? {};
  if (all === null || wake === null || (database !== undefined && typeof database !== 'string')) return null;
  if (hooks !== undefined && hooks !== 'on' && hooks !== 'off') return null;
  return { ...(database === undefined ? {} : { database }), ...(hooks === undefined ? {} : { wake: { hooks } }) };
}

function valueIn(source: string): unknown {
  try {
    return parse(source, OPTIONS);
  } catch {
    return false;
  }
}

function mapOf(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : null;
}
