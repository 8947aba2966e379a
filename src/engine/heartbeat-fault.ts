/** Nothing beats for a session any more, and trying again would not help: whoever hears this gives back and ends. */
export class HeartbeatFault extends Error {
  override readonly name = 'HeartbeatFault';
}
