/** A list of equal heights of which only what can be seen is drawn, so thousands cost as much as twenty. */
import type { ComponentChildren, VNode } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { watchSeen } from './watch-seen.ts';

interface Props<Item> {
  readonly items: readonly Item[];
  /** Of one item, in a list of this width. */
  readonly heightIn: (width: number) => number;
  readonly label: string;
  readonly draw: (item: Item) => ComponentChildren;
  readonly keyOf: (item: Item) => string;
  readonly empty: string;
}

/** Drawn beyond the edge, so that scrolling does not show a gap. */
const BEYOND = 4;

export function LongList<Item>({ items, heightIn, label, draw, keyOf, empty }: Props<Item>): VNode {
  const box = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState({ top: 0, room: 800, width: 0 });
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const look = (): void => {
      setSeen({ top: element.scrollTop, room: element.clientHeight, width: element.clientWidth });
    };
    return watchSeen(element, look);
  }, []);
  const height = heightIn(seen.width);
  const first = Math.max(0, Math.floor(seen.top / height) - BEYOND);
  const last = Math.min(items.length, Math.ceil((seen.top + seen.room) / height) + BEYOND);
  return (
    <div class="long-list" ref={box} tabIndex={0} role="region" aria-label={label}>
      {items.length === 0 ? <p class="empty">{empty}</p> : null}
      <div class="long-inner" style={{ height: `${items.length * height}px` }}>
        <ul style={{ transform: `translateY(${first * height}px)` }}>
          {items.slice(first, last).map((item) => (
            <li key={keyOf(item)} style={{ height: `${height}px` }}>
              {draw(item)}
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}
