import { BatonError } from '../foundation/baton-error.ts';

/** Nothing beats for a session any more, and trying again would not help: whoever hears this gives back and ends. */
export class HeartbeatFault extends BatonError {
  override readonly name = 'HeartbeatFault';
  readonly code = 'fault';
}
