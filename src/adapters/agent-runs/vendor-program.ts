import { HEADLESS_AGENTS } from '../../agents/headless/agents.ts';
import type { Vendor } from '../../domain/vendors.ts';

/** The name of a vendor's program. */
export function programOf(vendor: Vendor): string {
  return HEADLESS_AGENTS[vendor].program;
}
