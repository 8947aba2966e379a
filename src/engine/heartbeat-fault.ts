import { BatonError } from '../foundation/baton-error.ts';

/** No heartbeats can be sent for a session, and a retry would not help: the worker releases its handoffs and ends. */
export class HeartbeatFault extends BatonError {
  override readonly name = 'HeartbeatFault';
  readonly code = 'fault';
}
