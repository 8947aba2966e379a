/** The public names, one by one. */
export { LIFECYCLE, STATES, type Move, type State } from './domain/lifecycle.ts';
