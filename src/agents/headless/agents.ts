import type { Vendor } from '../../domain/vendors.ts';
import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { gemini } from './gemini.ts';
import type { HeadlessAgent } from './headless-agent.ts';

export const HEADLESS_AGENTS: Readonly<Record<Vendor, HeadlessAgent>> = { claude, codex, gemini };
