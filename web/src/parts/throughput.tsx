/** A chart of handoffs per minute over the last two hours. */
import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { MetricsAnswer } from '../api.ts';
import { theme } from '../theme.ts';

type Minute = MetricsAnswer['minutes'][number];

const SHOWN_MINUTES = 120;
const MINUTE_S = 60;
const EMPTY = { created: 0, completed: 0, failed: 0, other: 0 };

/** One point for every minute, also for those without events. */
function seriesOf(minutes: readonly Minute[]): uPlot.AlignedData {
  const known = new Map(minutes.map((each) => [Math.floor(new Date(each.at).getTime() / 60_000), each]));
  const last = Math.floor(Date.now() / 60_000);
  const at = Array.from({ length: SHOWN_MINUTES }, (_, index) => last - SHOWN_MINUTES + 1 + index);
  const found = at.map((minute) => known.get(minute) ?? EMPTY);
  return [
    at.map((minute) => minute * MINUTE_S),
    found.map(({ created }) => created),
    found.map(({ completed }) => completed),
    found.map(({ failed, other }) => failed + other),
  ];
}

export function Throughput({ minutes }: { readonly minutes: readonly Minute[] }): VNode {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const shownTheme = theme.value;
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    // The canvas needs the color that applies now, not the pair for light and dark that the style sheet holds.
    const colour = (name: string): string => {
      element.style.color = `var(${name})`;
      return getComputedStyle(element).color;
    };
    const axis = { stroke: colour('--soft'), grid: { stroke: colour('--rule'), width: 1 }, ticks: { show: false } };
    const made = new uPlot(
      {
        width: Math.max(element.clientWidth, 200),
        height: 220,
        scales: { y: { range: (_plot, _min, max) => [0, Math.max(max * 1.1, 5)] } },
        axes: [axis, axis],
        series: [
          {},
          { label: 'created', stroke: colour('--running'), width: 2 },
          { label: 'completed', stroke: colour('--soft'), width: 2 },
          { label: 'ended otherwise', stroke: colour('--broken'), width: 2, dash: [6, 4] },
        ],
      },
      seriesOf(minutes),
      element,
    );
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: Math.max(element.clientWidth, 200), height: 220 }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
    };
  }, [shownTheme]);
  useEffect(() => plot.current?.setData(seriesOf(minutes)), [minutes]);
  return (
    <div ref={box} class="plot" role="img" aria-label="Created, completed and otherwise ended handoffs by minute" />
  );
}
