/** Sends from within the test, as a program that uses the library would. */
import { join } from 'node:path';
import { NO_LIMITS } from '../../src/domain/limits.ts';
import { agentPrincipal } from '../../src/domain/principal.ts';
import { DEFAULT_RETRY } from '../../src/domain/retry-policy.ts';
import { send } from '../../src/engine/handoffs/send.ts';
import { openApp } from '../../src/app/open-app.ts';
import { ME, REACT } from '../folders/queue-world.ts';

/** Whoever is killed again and again is tried again and again. */
const PATIENT = { ...DEFAULT_RETRY, delayMs: 0, retriesMax: 50 };

export async function sendMany(folder: string, count: number, attemptTimeoutMs = 300_000): Promise<readonly string[]> {
  const privateFolder = join(folder, '.baton');
  const app = await openApp({
    database: { kind: 'sqlite', path: join(privateFolder, 'baton.db') },
    limits: NO_LIMITS,
    queueFolder: { folder, privateFolder },
  });
  const ids: string[] = [];
  for (let at = 0; at < count; at += 1) {
    const sent = await send(app.ctx, agentPrincipal(ME), {
      from: ME,
      to: REACT,
      input: { at },
      terms: { attemptTimeoutMs, retry: PATIENT },
    });
    if (!sent.ok) throw new Error(sent.refusal.code);
    ids.push(sent.value.id);
  }
  await app.close();
  return ids;
}
