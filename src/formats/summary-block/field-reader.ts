/** Reads the fields of one block and records what is wrong with each. */
import { isJsonObject, type Json, type JsonObject } from '../../foundation/json.ts';
import { AGENT_NAME_RULE, readAgentId } from '../../domain/names.ts';
import type { OnFailure } from '../../domain/summary.ts';
import { BLOCK_FIELDS, FAILURE_FIELDS, ruleOf, type BlockField } from './schema.ts';
import type { Field, Issue } from './yaml.ts';

interface IssueOptions {
  readonly fatal?: boolean;
  readonly allowed?: readonly string[];
}

export class FieldReader {
  private readonly fields: ReadonlyMap<string, Field>;
  private readonly issues: Issue[];
  private readonly found = new Map<BlockField, Field | null>();

  constructor(fields: ReadonlyMap<string, Field>, issues: Issue[]) {
    this.fields = fields;
    this.issues = issues;
  }

  /** By its own name, or by one of its aliases. */
  get(name: BlockField): Field | null {
    const known = this.found.get(name);
    if (known !== undefined) return known;
    const used = [name, ...(ruleOf(name).aliases ?? [])].find((each) => this.fields.has(each)) ?? name;
    const field = this.fields.get(used) ?? null;
    if (field !== null && used !== name) {
      this.issues.push({ at: field.keyAt, field: used, says: `is called ${name}`, fatal: false });
    }
    this.found.set(name, field);
    return field;
  }

  add(path: string, says: string, { fatal = false, allowed }: IssueOptions = {}): void {
    const [name] = path.split(/[.[]/, 1) as [BlockField];
    const at = this.found.get(name)?.at ?? 0;
    this.issues.push({ at, field: path, says, fatal, ...(allowed === undefined ? {} : { allowed }) });
  }

  text(name: BlockField): string | null {
    const value = this.get(name)?.value ?? null;
    if (typeof value === 'string' && value.trim() !== '') return value;
    const { allowed, holds } = ruleOf(name);
    const weight = allowed === undefined ? {} : { allowed };
    if (value === null || value === '') this.add(name, 'is missing', weight);
    else this.add(name, `is ${holds}`, weight);
    return typeof value === 'number' ? String(value) : null;
  }

  /** An unreadable agent name refuses the block: a wrong recipient is worse than none. */
  agent(name: BlockField): string | null {
    const value = this.get(name)?.value ?? null;
    if (value === null || value === '') {
      this.add(name, 'is missing', { fatal: true });
      return null;
    }
    return this.agentIn(value, name, true);
  }

  agentIn(value: Json, path: string, fatal: boolean): string | null {
    const said = typeof value === 'number' ? String(value) : value;
    // People add remarks to names: `@security-agent (REQUIRED for validation)`.
    const remark = typeof said === 'string' ? /^\s*(@?[^\s(]+)\s+\([^)]*\)\s*$/.exec(said) : null;
    const agent = typeof said === 'string' ? readAgentId(remark?.[1] ?? said) : null;
    if (agent === null || typeof said !== 'string') {
      this.add(path, `names no agent: ${AGENT_NAME_RULE}`, { fatal });
      return null;
    }
    if (remark !== null) this.add(path, 'a remark after the name is overlooked');
    else if (!said.startsWith('@')) this.add(path, `an agent is written "@${agent}"`);
    return agent;
  }

  whole(name: BlockField, least: number): number | null {
    const field = this.get(name);
    return field === null ? null : this.wholeIn(field.value, name, least);
  }

  wholeIn(value: Json, path: string, least: number): number | null {
    const isText = typeof value === 'string' && /^\s*\d{1,9}\s*$/.test(value);
    const number = isText ? Number(value) : value;
    if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < least) {
      this.add(path, `is a whole number, from ${least}`);
      return null;
    }
    if (isText) this.add(path, 'is a number without quotes');
    return number;
  }

  /** A value that is no map is kept in one, under the key `otherwise`. */
  map(name: BlockField, otherwise: string): JsonObject {
    const value = this.get(name)?.value ?? null;
    if (isJsonObject(value)) return value;
    if (value === null) return {};
    this.add(name, `is ${BLOCK_FIELDS[name].holds}`);
    return { [otherwise]: value };
  }

  list(name: BlockField): readonly string[] {
    const value = this.get(name)?.value ?? null;
    if (value === null) return [];
    const items = Array.isArray(value) ? (value as readonly Json[]) : [value];
    const isPlain = Array.isArray(value) && items.every((item) => typeof item === 'string');
    if (!isPlain) this.add(name, `is ${BLOCK_FIELDS[name].holds}`);
    const words = items.flatMap((item) => {
      if (typeof item === 'number') return [String(item)];
      if (typeof item !== 'string') return [];
      return isPlain ? [item.trim()] : item.split(',').map((word) => word.trim());
    });
    return [...new Set(words.filter((word) => word !== ''))];
  }

  /** A text or a list of texts. */
  words(name: BlockField): string | null {
    const value = this.get(name)?.value ?? null;
    if (value === null || value === '') return null;
    if (typeof value === 'string') return value.trim();
    if (typeof value === 'number') return String(value);
    if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join(', ');
    this.add(name, `is ${BLOCK_FIELDS[name].holds}`);
    return null;
  }

  /** The fields that were not read. */
  unread(): JsonObject {
    const read = new Set(this.found.values());
    return Object.fromEntries(
      [...this.fields].filter(([, field]) => !read.has(field)).map(([key, { value }]) => [key, value]),
    );
  }
}

export function failureOf(reader: FieldReader): OnFailure | null {
  const asked = reader.map('on_failure', 'context');
  if (Object.keys(asked).length === 0) return null;
  const of = (name: keyof typeof FAILURE_FIELDS): Json => asked[name] ?? null;
  const whole = (name: 'retry' | 'escalate_after', least: number): number | null =>
    of(name) === null ? null : reader.wholeIn(of(name), `on_failure.${name}`, least);
  const agent = (name: 'route_to' | 'notify'): string | null =>
    of(name) === null ? null : reader.agentIn(of(name), `on_failure.${name}`, false);

  const retry = whole('retry', 0);
  const routeTo = agent('route_to');
  const notify = agent('notify');
  const escalateAfter = whole('escalate_after', 1);
  const context = of('context');
  if (context !== null && typeof context !== 'string') reader.add('on_failure.context', `is ${FAILURE_FIELDS.context}`);
  return {
    ...(retry === null ? {} : { retry }),
    ...(routeTo === null ? {} : { routeTo }),
    ...(notify === null ? {} : { notify }),
    ...(escalateAfter === null ? {} : { escalateAfter }),
    ...(context === null ? {} : { context: typeof context === 'string' ? context : JSON.stringify(context) }),
  };
}
