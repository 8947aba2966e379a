import type { VNode } from 'preact';
import { ASSURANCE_TEXT, type Assurance } from '../../../src/domain/assurance.ts';

/** How far a completion is proven, in the same words everywhere. */
export function AssuranceTag({ assurance }: { readonly assurance: Assurance }): VNode {
  return (
    <span class={`tag assurance-${assurance}`} title={ASSURANCE_TEXT[assurance]}>
      {assurance}
    </span>
  );
}
