/** Components that are loaded when a page needs them. */
import type { ComponentType, VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';

export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): (props: Props) => VNode {
  let loaded: ComponentType<Props> | null = null;
  return function Lazy(props: Props): VNode {
    const [Part, setPart] = useState<ComponentType<Props> | null>(() => loaded);
    useEffect(() => {
      if (loaded !== null) return;
      void load().then((part) => {
        loaded = part;
        setPart(() => part);
      });
    }, []);
    return Part === null ? <p class="empty">One moment…</p> : <Part {...props} />;
  };
}
