/**
 * The report as JUnit XML: one suite per project with one case per leg, and one suite for completed handoffs of no project.
 * Cases that are unfinished or proven less than required are skipped.
 */
import { assuranceOf, isAtLeast, type Assurance } from '../../../domain/assurance.ts';
import type { Handoff } from '../../../domain/handoff.ts';
import { OUTCOME_OF, standingOf, type Leg } from '../../../domain/project-trail.ts';
import type { ProjectReport, Report } from '../../../domain/project-report.ts';
import type { Context } from '../../../engine/context.ts';
import { STANDING_TEXT, standingText, totalText } from './format-numbers.ts';
import { escapeHtml } from './escape-html.ts';

/** Without a project it also lists the completed handoffs of no project. */
export async function* writeJunit(found: Report, ctx: Context, project: string | null): AsyncGenerator<string> {
  yield project === null ? reportJunit(found, await othersIn(ctx, found)) : reportJunit(found);
}

/** `baton audit` has all handoffs. */
const OTHERS_MAX = 10_000;
const PAGE = 500;

/** Legs of projects are listed with their project. */
async function othersIn({ store, rules }: Context, { projects }: Report): Promise<OtherHandoffs> {
  const legs = new Set<string>(projects.flatMap(({ legs: all }) => all.map(({ id }) => id)));
  const handoffs: Handoff[] = [];
  for (let after: string | null | undefined; after !== null && handoffs.length < OTHERS_MAX;) {
    const asked = { by: 'filter', states: ['completed'], max: PAGE } as const;
    const page = await store.find(after === undefined ? asked : { ...asked, after });
    handoffs.push(...page.items.filter(({ id }) => !legs.has(id)));
    after = page.next;
  }
  return { handoffs: handoffs.slice(0, OTHERS_MAX), required: rules.requiredAssurance };
}

interface Counts {
  readonly tests: number;
  readonly failures: number;
  readonly skipped: number;
}

/** Completed handoffs that belong to no project, and how far they have to be proven. */
interface OtherHandoffs {
  readonly handoffs: readonly Handoff[];
  readonly required: Assurance;
}

const NO_OTHERS: OtherHandoffs = { handoffs: [], required: 'unverified' };

export function reportJunit({ projects }: Report, others: OtherHandoffs = NO_OTHERS): string {
  const all = [...projects.map(({ legs }) => countsOf(legs)), countsOfOthers(others)];
  const sum = (name: keyof Counts): number => all.reduce((so, counts) => so + counts[name], 0);
  const counts = { tests: sum('tests'), failures: sum('failures'), skipped: sum('skipped') };
  const head = '<?xml version="1.0" encoding="UTF-8"?>';
  const suites = [...projects.map(suite), suiteOfOthers(others)].join('');
  return `${head}\n<testsuites name="baton"${attributes({ ...counts, errors: 0 })}>\n${suites}</testsuites>\n`;
}

function suite({ workflow, metrics, legs }: ProjectReport): string {
  const { project, beganAt, lastAt, retries, routes, escalations, stops, told } = workflow;
  const facts = { summaries: told, retries, routes, escalations, stops };
  const properties = [
    ...Object.entries(facts).map(([name, value]) => property(name, String(value))),
    ...metrics.all.map((total) => property(`metric.${total.key}`, totalText(total))),
  ];
  const attributesOfSuite = attributes({
    name: project,
    ...countsOf(legs),
    errors: 0,
    time: seconds(lastAt - beganAt),
    timestamp: timestamp(beganAt),
  });
  const cases = legs.map((leg) => testCase(project, leg)).join('');
  return `<testsuite${attributesOfSuite}>\n<properties>\n${properties.join('')}</properties>\n${cases}</testsuite>\n`;
}

const OTHERS = 'handoffs of no project';

function suiteOfOthers(others: OtherHandoffs): string {
  if (others.handoffs.length === 0) return '';
  const head = attributes({ name: OTHERS, ...countsOfOthers(others), errors: 0, time: seconds(0) });
  return `<testsuite${head}>\n${others.handoffs.map((each) => caseOf(each, others.required)).join('')}</testsuite>\n`;
}

function caseOf(handoff: Handoff, required: Assurance): string {
  const { id, from, to, task, title, createdAt, since } = handoff;
  const who = `@${from} → @${to}`;
  const name = [task, who, id, title].filter((part) => part !== null).join(' ');
  const head = attributes({ name, classname: OTHERS, time: seconds(since - createdAt) });
  const assurance = assuranceOf(handoff) ?? 'reported';
  if (isAtLeast(assurance, required)) {
    return `<testcase${head}><properties>${property('assurance', assurance)}</properties></testcase>\n`;
  }
  const message = `${who}: ${STANDING_TEXT.unproven} (only ${assurance})`;
  return `<testcase${head}><skipped${attributes({ message })}/></testcase>\n`;
}

function countsOfOthers({ handoffs, required }: OtherHandoffs): Counts {
  const skipped = handoffs.filter((each) => !isAtLeast(assuranceOf(each) ?? 'reported', required)).length;
  return { tests: handoffs.length, failures: 0, skipped };
}

function testCase(project: string, leg: Leg): string {
  const { id, from, to, task, openedAt, since, last, attempt } = leg;
  const standing = standingOf(leg);
  const who = from === null || from === to ? `@${to}` : `@${from} → @${to}`;
  const head = attributes({
    name: [task, who, id].filter((part) => part !== null).join(' '),
    classname: `${project}.${last?.summary.phase ?? 'untold'}`,
    time: seconds(OUTCOME_OF[standing] === 'unfinished' ? 0 : since - openedAt),
  });
  const says = `${who}: ${standingText(leg)}${attempt > 1 ? `, attempt ${attempt}` : ''}`;
  if (OUTCOME_OF[standing] === 'failed') {
    const text = last === null ? '' : escapeHtml(last.summary.text);
    return `<testcase${head}><failure${attributes({ message: says, type: standing })}>${text}</failure></testcase>\n`;
  }
  if (isSkipped(leg)) return `<testcase${head}><skipped${attributes({ message: says })}/></testcase>\n`;
  return `<testcase${head}>${assuranceProperty(leg)}</testcase>\n`;
}

function assuranceProperty({ assurance }: Leg): string {
  return assurance === null ? '' : `<properties>${property('assurance', assurance)}</properties>`;
}

function isSkipped(leg: Leg): boolean {
  const standing = standingOf(leg);
  // A failed leg stays failed when another agent continues it.
  return standing === 'dropped' || standing === 'passed-on' || OUTCOME_OF[standing] === 'unfinished';
}

function countsOf(legs: readonly Leg[]): Counts {
  return {
    tests: legs.length,
    failures: legs.filter((leg) => OUTCOME_OF[standingOf(leg)] === 'failed').length,
    skipped: legs.filter(isSkipped).length,
  };
}

function property(name: string, value: string): string {
  return `<property${attributes({ name, value })}/>\n`;
}

function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escapeHtml(String(value)).replaceAll('\n', '&#10;')}"`)
    .join('');
}

function seconds(ms: number): string {
  return (Math.max(0, ms) / 1000).toFixed(3);
}

function timestamp(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? '1970-01-01T00:00:00.000Z' : date.toISOString();
}
