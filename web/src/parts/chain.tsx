/** A graph of the chain that a handoff belongs to. Each leg leads to the ones that follow from it. */
import dagre from '@dagrejs/dagre';
import type { RefObject, VNode } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { shorten } from '../../../src/interfaces/shared/shorten.ts';
import { readChain, type HandoffView } from '../api.ts';
import { newest, version } from '../live.ts';
import { titleOf } from '../text.ts';
import { handoffHref } from '../location.ts';
import { markOf, toneOf } from '../states.ts';

const WIDTH = 200;
const HEIGHT = 54;
const ZOOM_LEAST = 0.3;

interface Drawn {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly { readonly handoff: HandoffView; readonly x: number; readonly y: number }[];
  readonly edges: readonly { readonly key: string; readonly path: string; readonly isRetry: boolean }[];
}

interface ChainProps {
  readonly id: string;
  readonly revision: number;
  /** Shown where the handoff has no other legs. */
  readonly alone: VNode | null;
}

export function Chain({ id, revision, alone }: ChainProps): VNode | null {
  const [legs, setLegs] = useState<readonly HandoffView[]>([]);
  const [zoom, setZoom] = useState(1);
  useEffect(() => readChain(id, setLegs), [id, revision]);
  const drawn = useMemo(() => drawingOf(legs), [legs]);
  const { box, more } = useScroller(drawn, id, zoom);
  if (legs.length < 2) return legs.length === 0 ? null : alone;
  const seen = version.value;
  return (
    <section class="panel">
      <h2>
        Chain of {legs.length} legs{' '}
        {more.left || more.right ? (
          <span class="soft">
            {more.left ? '‹ ' : ''}scroll for more{more.right ? ' ›' : ''}
          </span>
        ) : null}{' '}
        <button type="button" class="quiet" disabled={zoom <= ZOOM_LEAST} onClick={() => setZoom(zoom / 1.25)}>
          Smaller
        </button>
        <button type="button" class="quiet" disabled={zoom >= 1} onClick={() => setZoom(Math.min(1, zoom * 1.25))}>
          Larger
        </button>
      </h2>
      <div
        class={`chain${more.left ? ' more-left' : ''}${more.right ? ' more-right' : ''}`}
        ref={box}
        tabIndex={0}
        role="region"
        aria-label="Chain"
      >
        <svg
          width={drawn.width * zoom}
          height={drawn.height * zoom}
          viewBox={`0 0 ${drawn.width} ${drawn.height}`}
          data-seen={seen}
        >
          {drawn.edges.map(({ key, path, isRetry }) => (
            <path key={key} d={path} class={isRetry ? 'edge retry' : 'edge'} />
          ))}
          {drawn.nodes.map(({ handoff, x, y }) => {
            const leg = newest(handoff);
            return (
              <a key={leg.id} href={handoffHref(leg.id)} aria-current={leg.id === id ? 'true' : undefined}>
                <g transform={`translate(${x - WIDTH / 2} ${y - HEIGHT / 2})`} class={`leg ${toneOf(leg)}`}>
                  <rect width={WIDTH} height={HEIGHT} rx="9" />
                  <text x="12" y="22" class="leg-title">
                    {markOf(leg)} {shorten(titleOf(leg), 22)}
                  </text>
                  <text x="12" y="41">
                    {shorten(`${leg.from} → ${leg.to}`, 28)}
                  </text>
                  <title>{`${titleOf(leg)}: ${leg.from} to ${leg.to}, ${leg.state}`}</title>
                </g>
              </a>
            );
          })}
        </svg>
      </div>
    </section>
  );
}

/** Scrolls to the leg of the page, and tells on which sides there is more. */
function useScroller(
  drawn: Drawn,
  id: string,
  zoom: number,
): {
  readonly box: RefObject<HTMLDivElement | null>;
  readonly more: { readonly left: boolean; readonly right: boolean };
} {
  const box = useRef<HTMLDivElement>(null);
  const [more, setMore] = useState({ left: false, right: false });
  const current = drawn.nodes.find(({ handoff }) => handoff.id === id)?.x;
  useLayoutEffect(() => {
    const element = box.current;
    if (element !== null && current !== undefined) element.scrollLeft = current * zoom - element.clientWidth / 2;
  }, [id, current, zoom]);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const look = (): void => {
      const left = element.scrollLeft > 1;
      const right = element.scrollLeft + element.clientWidth < element.scrollWidth - 1;
      setMore((before) => (before.left === left && before.right === right ? before : { left, right }));
    };
    const observer = new ResizeObserver(look);
    observer.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, [drawn, zoom]);
  return { box, more };
}

function drawingOf(legs: readonly HandoffView[]): Drawn {
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: 'LR', nodesep: 18, ranksep: 46, marginx: 8, marginy: 8 });
  graph.setDefaultEdgeLabel(() => ({}));
  const known = new Map(legs.map((leg) => [leg.id, leg]));
  for (const { id } of legs) graph.setNode(id, { width: WIDTH, height: HEIGHT });
  const edges: { from: string; to: string; isRetry: boolean }[] = [];
  for (const { id, parent, retryOf, dependsOn = [] } of legs) {
    const above = retryOf ?? parent;
    const ties = [...(above === undefined ? [] : [above]), ...dependsOn.filter((each) => each !== above)];
    for (const from of ties.filter((each) => known.has(each) && each !== id)) {
      edges.push({ from, to: id, isRetry: from === retryOf });
      graph.setEdge(from, id);
    }
  }
  if (legs.length > 0) dagre.layout(graph);
  const { width = 0, height = 0 } = graph.graph() as { readonly width?: number; readonly height?: number };
  return {
    width: Math.max(width, 1),
    height: Math.max(height, 1),
    nodes: legs.map((handoff) => {
      const { x, y } = graph.node(handoff.id) as { readonly x: number; readonly y: number };
      return { handoff, x, y };
    }),
    edges: edges.map(({ from, to, isRetry }) => {
      const { points } = graph.edge(from, to) as { readonly points: readonly { x: number; y: number }[] };
      const path = points
        .map(({ x, y }, index) => `${index === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`)
        .join(' ');
      return { key: `${from} ${to}`, path, isRetry };
    }),
  };
}
