/** The chart: full lives per second, as bars for light and dark backgrounds. */
import type { Figures } from './report.ts';

const WIDTH = 720;
const HEIGHT = 320;
const LEFT = 24;
const TOP = 72;
const BOTTOM = 264;
const COLORS: Record<string, string> = { baton: '#2f81f7', BullMQ: '#d29922', 'bare loop': '#8b949e' };

export function chartOf(figures: Readonly<Record<string, Figures>>, machine: string): string {
  const rows = Object.entries(figures['lives']?.rows ?? {}).filter(([what]) => what.startsWith('lives/s'));
  const most = Math.max(1, ...rows.flatMap(([, row]) => Object.values(row)));
  const groupWidth = (WIDTH - 2 * LEFT) / Math.max(1, rows.length);
  const groups = rows.map(([what, row], at) => groupOf(what, row, LEFT + at * groupWidth, groupWidth, most));
  const names = Object.keys(rows[0]?.[1] ?? {});
  const legend = names.map((name, at) => {
    const x = LEFT + at * 110;
    return `<rect x="${x}" y="44" width="12" height="12" rx="2" fill="${colorOf(name)}"/><text x="${x + 18}" y="54">${name}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="title">
<title id="title">Full lives per second on one machine, all durable: ${names.join(', ')}</title>
<style>
  text { font: 13px system-ui, sans-serif; fill: #1f2328; }
  .head { font-weight: 600; font-size: 15px; }
  .quiet { fill: #59636e; font-size: 12px; }
  line { stroke: #59636e; }
  @media (prefers-color-scheme: dark) { text { fill: #e6edf3; } .quiet { fill: #9198a1; } line { stroke: #9198a1; } }
</style>
<text class="head" x="${LEFT}" y="24">Sent, taken, completed: full lives per second, each step on the disk</text>
${legend.join('\n')}
${groups.join('\n')}
<line x1="${LEFT}" y1="${BOTTOM}" x2="${WIDTH - LEFT}" y2="${BOTTOM}"/>
<text class="quiet" x="${LEFT}" y="${HEIGHT - 8}">SQLite with synchronous=FULL, Redis with appendfsync=always; 2 KB inputs; ${machine}</text>
</svg>
`;
}

function groupOf(what: string, row: Readonly<Record<string, number>>, x: number, width: number, most: number): string {
  const names = Object.keys(row);
  const barWidth = Math.min(56, (width - 32) / Math.max(1, names.length));
  const start = x + (width - barWidth * names.length) / 2;
  const bars = names.map((name, at) => {
    const value = row[name] ?? 0;
    const height = ((BOTTOM - TOP - 16) * value) / most;
    const left = start + at * barWidth;
    return (
      `<rect x="${left + 2}" y="${BOTTOM - height}" width="${barWidth - 4}" height="${height}" rx="3" fill="${colorOf(name)}"/>` +
      `<text x="${left + barWidth / 2}" y="${BOTTOM - height - 6}" text-anchor="middle">${Math.round(value)}</text>`
    );
  });
  const label = what.replace('lives/s at ', '');
  const caption = `${label} ${label === '1' ? 'caller' : 'callers'}`;
  return `${bars.join('')}<text x="${x + width / 2}" y="${BOTTOM + 20}" text-anchor="middle">${caption}</text>`;
}

function colorOf(name: string): string {
  return COLORS[name] ?? '#8b949e';
}
