/** A drawing of a chain with one box per leg, readable in light and dark. */
import { assuranceOf } from '../../domain/assurance.ts';
import { isFinal, type State } from '../../domain/lifecycle.ts';
import type { Leg } from '../shared/chain.ts';
import { escapeHtml } from '../shared/report/escape-html.ts';
import { shorten } from '../shared/shorten.ts';

const BOX = { width: 320, height: 52, right: 40, down: 70 };
const MARGIN = 16;
const LETTERS_MAX = 44;
/** How far the curve of a dependency reaches to the right. */
const BEND = 60;
const ARROW =
  '<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="#888"/></marker></defs>';

export function chainSvg(legs: readonly Leg[]): string {
  const hasDependencies = legs.some(({ handoff }) => handoff.terms.dependsOn.length > 0);
  const width =
    MARGIN * 2 + BOX.width + Math.max(0, ...legs.map(({ depth }) => depth)) * BOX.right + (hasDependencies ? BEND : 0);
  const height = MARGIN * 2 + Math.max(1, legs.length) * BOX.down - (BOX.down - BOX.height);
  const placed = legs.map((leg, row) => ({ leg, x: MARGIN + leg.depth * BOX.right, y: MARGIN + row * BOX.down }));
  const lines = placed.flatMap(({ leg, x, y }, row) => {
    const above = placed.slice(0, row).findLast((other) => other.leg.depth === leg.depth - 1);
    if (above === undefined) return [];
    const fromX = above.x + BOX.right / 2;
    return [`<path d="M${fromX} ${above.y + BOX.height}V${y + BOX.height / 2}H${x}" fill="none" stroke="#888"/>`];
  });
  // Curves beside the boxes, so that no line crosses a text: from the dependency to the dependent.
  const rowOf = new Map(placed.map((each) => [each.leg.handoff.id, each]));
  const dependencies = placed.flatMap(({ leg, x, y }) =>
    leg.handoff.terms.dependsOn.flatMap((id) => {
      const needed = rowOf.get(id);
      if (needed === undefined) return [];
      const [fromX, fromY, toX, toY] = [
        needed.x + BOX.width,
        needed.y + BOX.height / 2,
        x + BOX.width,
        y + BOX.height / 2,
      ];
      const bend = Math.max(fromX, toX) + BEND;
      const path = `M${fromX} ${fromY}C${bend} ${fromY} ${bend} ${toY} ${toX} ${toY}`;
      return [
        `<path d="${path}" fill="none" stroke="${colourOf(needed.leg.handoff.state)}" stroke-dasharray="4 3" marker-end="url(#arrow)"/>`,
      ];
    }),
  );
  const boxes = placed.map(({ leg, x, y }) => boxOf(leg, x, y));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="13">`,
    '<style>text{fill:#222}rect{fill:#fff}@media(prefers-color-scheme:dark){text{fill:#eee}rect{fill:#1c1c1c}}</style>',
    ...(dependencies.length === 0 ? [] : [ARROW, ...dependencies]),
    ...lines,
    ...boxes,
    '</svg>',
    '',
  ].join('\n');
}

function boxOf({ handoff }: Leg, x: number, y: number): string {
  const { id, from, to, state, title } = handoff;
  const edge = `x="${x}" y="${y}" width="${BOX.width}" height="${BOX.height}" rx="6" stroke="${colourOf(state)}" stroke-width="2"`;
  const first = `@${from} → @${to} · ${assuranceOf(handoff) ?? state}`;
  return (
    `<g><title>${escapeHtml(id)}</title><rect ${edge}/>` +
    `<text x="${x + 12}" y="${y + 21}">${escapeHtml(shorten(first, LETTERS_MAX))}</text>` +
    `<text x="${x + 12}" y="${y + 40}" opacity="0.7">${escapeHtml(shorten(title ?? id, LETTERS_MAX))}</text></g>`
  );
}

function colourOf(state: State): string {
  if (state === 'completed') return '#2e8b57';
  return isFinal(state) ? '#c0392b' : '#c9a227';
}
