/** What happens to documents beside the answers, in words. */
import type { EngineEvent } from '../../engine/context.ts';
import type { Output } from './output.ts';

export type DocumentEvent = Extract<EngineEvent, { kind: `document${string}` }>;

export function isAboutDocuments(event: EngineEvent): event is DocumentEvent {
  return event.kind.startsWith('document');
}

export function tellOfDocument(event: DocumentEvent, output: Output): void {
  switch (event.kind) {
    case 'document-adopted':
      output.note(`${event.id}: ${event.says} (${event.by})`);
      break;
    case 'document-refused':
    case 'document-late':
    case 'document-over-limit':
      output.warn(`${event.id}: ${event.says}`);
      break;
    case 'document-left':
      output.warn(`${event.name} stays as it is: ${event.says}`);
      break;
    case 'documents-paused':
      output.warn(event.says);
      break;
  }
}
