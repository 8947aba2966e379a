/** Lives through the library, for `scripts/bench-proof.mjs`: sent, worked on, completed and waited for. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openBaton } from '../src/index.ts';
import { present } from '../src/foundation/assert.ts';
import { readAgentId } from '../src/domain/names.ts';
import { openWorkspace } from '../src/app/open-workspace.ts';
import { mintToken } from '../src/workspace/identity.ts';

const TOGETHER = 10;

export interface Side {
  lives(count: number): Promise<void>;
  close(): Promise<void>;
}

/** `withTokens`: sender and doer show one each, so that every fact names it. */
export async function openSide(folder: string, withTokens: boolean): Promise<Side> {
  mkdirSync(join(folder, '.baton'), { recursive: true });
  writeFileSync(join(folder, 'baton.yaml'), 'verifiers: [qa]\n');
  const [pm, dev] = withTokens ? await tokensIn(folder, ['pm', 'dev']) : [];
  const baton = await openBaton({ workspace: folder, ...(pm === undefined ? {} : { token: pm }) });
  const doer = await openBaton({ workspace: folder, ...(dev === undefined ? {} : { token: dev }) });
  const worker = doer.work('@dev', async () => ({ ok: true }), { concurrency: TOGETHER });
  const life = async (): Promise<void> => {
    const sent = await baton.send({ from: '@pm', to: '@dev', input: { component: 'UserProfile' } });
    await sent.wait();
  };
  return {
    async lives(count) {
      for (let left = count; left > 0; left -= TOGETHER) {
        await Promise.all(Array.from({ length: Math.min(TOGETHER, left) }, life));
      }
    },
    async close() {
      await worker.stop();
      await doer.close();
      await baton.close();
    },
  };
}

async function tokensIn(folder: string, agents: readonly string[]): Promise<readonly string[]> {
  const app = present(await openWorkspace({ workspace: folder }), 'a workspace');
  const secrets: string[] = [];
  for (const name of agents) {
    const agent = present(readAgentId(name), name);
    const wish = { agent, roles: [], scopes: ['read', 'write'], label: null, lifeMs: null } as const;
    secrets.push((await mintToken(app.ctx, wish, { by: 'the benchmark' })).secret);
  }
  await app.close();
  return secrets;
}
