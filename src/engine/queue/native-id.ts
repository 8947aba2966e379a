import type { HandoffId } from '../../domain/names.ts';

/** Of the form that only Baton makes; a stranger who imitates it is found out later. */
export function isNativeId(id: HandoffId): boolean {
  return NATIVE_ID.test(id);
}

const NATIVE_ID = /^hoff-[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;
