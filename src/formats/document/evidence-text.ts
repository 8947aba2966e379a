/** Evidence as a person writes and reads it: `file:src/a.ts`, and behind a # what the machine saw there. */
import { EVIDENCE_KINDS, type Evidence } from '../../domain/evidence.ts';
import type { Said } from './yaml-text.ts';

export interface EvidenceText {
  readonly kind: Evidence['kind'];
  readonly value: string;
  /** What the machine that looked has seen; null where only a person has written. */
  readonly seen: Evidence | null;
}

const WRITTEN = new RegExp(`^(${EVIDENCE_KINDS.join('|')}):\\s*([\\s\\S]+)$`);
const SHADOW_SEEN = /^([A-Za-z0-9._-]+)#tree=([0-9a-f]{40,64}),trail=([A-Za-z0-9_-]{1,100})$/;
const FILE_SEEN = /^([\s\S]+)#sha256=([0-9a-f]{64})$/;
const COMMAND_SEEN = /^([\s\S]+)#exit=(-?\d{1,10}),sha256=([0-9a-f]{64})$/;

export function writeEvidence(evidence: Evidence): string {
  switch (evidence.kind) {
    case 'file':
      return `file:${evidence.path}#sha256=${evidence.sha256}`;
    case 'commit':
      return `commit:${evidence.commit}`;
    case 'command':
      return `command:${evidence.command}#exit=${evidence.exitCode},sha256=${evidence.outputSha256}`;
    case 'shadow':
      return `shadow:${evidence.handoff}#tree=${evidence.tree},trail=${evidence.trail}`;
    case 'url':
      return `url:${evidence.url}`;
    case 'note':
      return `note:${evidence.text}`;
  }
}

/** Whatever names no kind is a note. */
export function readEvidence(text: string): EvidenceText {
  const [, kind = 'note', value = text] = WRITTEN.exec(text.trim()) ?? [];
  switch (kind) {
    case 'file': {
      const [, path = value, sha256] = FILE_SEEN.exec(value) ?? [];
      return { kind, value: path, seen: sha256 === undefined ? null : { kind, path, sha256 } };
    }
    case 'command': {
      const [, command = value, exit, outputSha256] = COMMAND_SEEN.exec(value) ?? [];
      if (exit === undefined || outputSha256 === undefined) return { kind, value, seen: null };
      return { kind, value: command, seen: { kind, command, exitCode: Number(exit), outputSha256 } };
    }
    case 'shadow': {
      const [, handoff = value, tree, trail] = SHADOW_SEEN.exec(value) ?? [];
      if (tree === undefined || trail === undefined) return { kind, value, seen: null };
      return { kind, value: handoff, seen: { kind, handoff, tree, trail } };
    }
    case 'commit':
      return { kind, value, seen: /^[0-9a-f]{40,64}$/.test(value) ? { kind, commit: value } : null };
    case 'url':
      return { kind, value, seen: { kind, url: value } };
    default:
      return { kind: 'note', value, seen: { kind: 'note', text: value } };
  }
}

/** A single one may stand alone. */
export function piecesOf(evidence: Said | undefined): readonly string[] {
  const list = typeof evidence === 'string' ? [evidence] : Array.isArray(evidence) ? evidence : [];
  return list.filter((each): each is string => typeof each === 'string' && each.trim() !== '');
}
