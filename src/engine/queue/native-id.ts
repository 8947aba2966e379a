import type { HandoffId } from '../../domain/names.ts';

/** Whether the id has the form of ids that Baton generates. A foreign program may imitate it, which is detected later. */
export function isNativeId(id: HandoffId): boolean {
  return NATIVE_ID.test(id);
}

const NATIVE_ID = /^hoff-[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;
