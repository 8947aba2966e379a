/** Selects the handoffs that are offered to an agent, along indexes that hold nothing else. */
import { stateNumber } from '../stored-numbers.ts';

const OFFERED = stateNumber('offered');
export const ON_OFFER: readonly NumbersPart[] = [
  { index: 'handoff_ready', where: `state = ${OFFERED} AND ready = 1` },
  { index: 'handoff_delayed', where: `state = ${OFFERED} AND ready = 0` },
];

export interface NumbersPart {
  readonly index: string;
  readonly where: string;
}

/** Selects the numbers of the handoffs to agent ?1 in any of the parts. */
export function numbersSql(parts: readonly NumbersPart[]): string {
  return parts
    .map(({ index, where }) => `SELECT n FROM handoff INDEXED BY ${index} WHERE ${where} AND recipient = ?1`)
    .join(' UNION ALL ');
}
