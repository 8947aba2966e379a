/** Writes a new document: front matter in the order of the specification, and a body made from the fields. */
import { wordsOf } from '../summary-block/identity.ts';
import { FIELD_NAMES, type DocumentFields, type FieldName, type NewDocument } from './schema.ts';
import { keyText, valueText, type YamlValue } from './yaml-text.ts';

/** The heading of the group that begins with this field. */
const GROUPS: Partial<Record<FieldName, string>> = {
  handoff_id: 'IDENTIFICATION (Required)',
  status: 'LIFECYCLE (Required)',
  title: 'CONTENT (Required)',
  source_meeting: 'LINKAGE (Required)',
  acknowledged_at: 'ACKNOWLEDGMENT (Set by recipient)',
  completed_at: 'COMPLETION (Set at end)',
};

/** Every new document has these fields, so that people see where to fill them in. */
const ALWAYS: readonly FieldName[] = [
  'source_meeting',
  'skill_web_node',
  'acknowledged_at',
  'acknowledged_by',
  'acknowledgment_notes',
  'completed_at',
  'completion_verified_by',
  'completion_notes',
];

/** The name of an agent in the body, such as `Grok (Chief)`. */
type DisplayName = (agent: string) => string;

export function writeDocument(fields: NewDocument, displayName: DisplayName = (agent) => agent, root = ''): string {
  const lines = FIELD_NAMES.flatMap((name): readonly string[] => {
    const value = (fields[name] ?? null) as YamlValue;
    const isThere = fields[name] !== undefined || ALWAYS.includes(name);
    const group = GROUPS[name];
    const head = group === undefined ? [] : [`${name === 'handoff_id' ? '' : '\n'}# ${group}`];
    return isThere ? [...head, `${keyText(name)}:${valueText(value)}`] : head;
  });
  return `---\n${lines.join('\n')}\n---\n\n${bodyText(fields, displayName, root)}`;
}

/** Lines of the body that follow a field as long as nobody has rewritten them. */
export const TIMELINE: Partial<Record<FieldName, string>> = {
  created_at: '- Created: ',
  expires_at: '- Expires if not acknowledged: ',
  target_completion: '- Target completion: ',
};

export function timelineText(value: YamlValue | undefined): string {
  return typeof value === 'string' ? value : 'not set';
}

/** Sections of the body that follow a field as long as nobody has rewritten them. */
export const SECTIONS: Partial<Record<FieldName, (value: YamlValue | undefined) => string>> = {
  title: (title) => `# Handoff: ${wordsOf(textOf(title))}`,
  purpose: (purpose) => `### Purpose\n${textOf(purpose)}`.trimEnd(),
  context: (context) => `### Context\n${textOf(context)}`.trimEnd(),
  deliverables: (items) => `### Deliverables\n${bullets(items)}`.trimEnd(),
  verification_criteria: (items) => `### Verification Criteria\n${bullets(items)}`.trimEnd(),
};

function textOf(value: YamlValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function bodyText(fields: NewDocument, displayName: DisplayName, root: string): string {
  const { from_agent: from, to_agent: to } = fields;
  const timeline = Object.entries(TIMELINE).map(([name, label]) => {
    return `${label}${timelineText(fields[name as FieldName] as YamlValue | undefined)}`;
  });
  const section = (name: FieldName): string => SECTIONS[name]?.(fields[name] as YamlValue) ?? '';
  return [
    section('title'),
    `## From: ${wordsOf(displayName(from))}\n## To: ${wordsOf(displayName(to))}`,
    section('purpose'),
    section('context'),
    section('deliverables'),
    section('verification_criteria'),
    `### Timeline\n${timeline.join('\n')}`,
    `### References\n${references(fields, root)}`,
  ]
    .map((part) => `${part.trimEnd()}\n`)
    .join('\n');
}

function bullets(items: YamlValue | undefined): string {
  return (Array.isArray(items) ? items : []).map((item) => `- ${wordsOf(textOf(item as YamlValue))}`).join('\n');
}

function references(
  { related_task: task, source_meeting: meeting, skill_web_node: skill }: DocumentFields,
  root: string,
): string {
  const lines = [
    `- Task: ${link(task, task === undefined ? '' : `${root}tasks/${task}.md`)}`,
    `- Meeting: ${link(meeting, meeting ?? '')}`,
    `- Skill: ${link(skill, skill ?? '')}`,
  ];
  return lines.join('\n');
}

/** Links start at the root of the repository, because the document moves to the archive. */
function link(text: string | null | undefined, path: string): string {
  if (text === null || text === undefined) return 'none';
  const target = /^https?:\/\//.test(path) ? path : `/${path.replace(/^\/+/, '')}`;
  const url = encodeURI(target).replaceAll('(', '%28').replaceAll(')', '%29');
  return `[${wordsOf(text).replaceAll(/[[\]]/g, String.raw`\$&`)}](${url})`;
}
