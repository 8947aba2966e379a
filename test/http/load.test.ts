/**
 * Many listeners and many handoffs at once. BATON_HTTP_LOAD=1 is the size that is promised (50 listeners, 500 handoffs a
 * second, a minute); the default is a tenth of it for two seconds.
 */
import { describe, expect, it } from 'vitest';
import { present } from '../../src/foundation/assert.ts';
import { readAgentId } from '../../src/domain/names.ts';
import { agentPrincipal } from '../../src/domain/principal.ts';
import { sendMany } from '../../src/engine/handoffs/send.ts';
import { makeWorkspace, sqlite } from '../cli/workspaces.ts';
import { until, untilSays } from '../support/processes.ts';
import { countListener } from './count-events.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { campaignSize } from '../support/campaign-sizes.ts';

const SCALE = campaignSize('BATON_HTTP_LOAD');
const LISTENERS = Math.max(5, Math.round(50 * SCALE));
const PER_SECOND = Math.max(50, Math.round(500 * SCALE));
const SECONDS = Math.max(2, Math.round(60 * (SCALE >= 1 ? SCALE : 0)));
const BATCH_MS = 50;

describe('under load', () => {
  it('every listener hears every fact once and in order', { timeout: 300_000 }, async () => {
    const workspace = await makeWorkspace(sqlite);
    const running = workspace.start(['serve', '--port', '0']);
    await untilSays(running, 'the link works once');
    const { url, token } = JSON.parse(readFileSync(join(workspace.folder, '.baton/serve.json'), 'utf8')) as {
      url: string;
      token: string;
    };
    const listeners = await Promise.all(Array.from({ length: LISTENERS }, () => countListener(url, token)));
    const ctx = await workspace.open();
    const me = present(readAgentId('me'), 'me');
    const request = { from: me, to: present(readAgentId('react'), 'react'), input: {} };
    const memory = (): number =>
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${running.pid}/status`, 'utf8'))?.[1]);
    const [userBefore, startedMs] = [cpuOf(running.pid), performance.now()];
    let sent = 0;
    let middle = 0;
    while (performance.now() - startedMs < SECONDS * 1000) {
      const due = Math.min(500, Math.floor(((performance.now() - startedMs) / 1000) * PER_SECOND) - sent);
      if (due > 0) {
        await sendMany(
          ctx,
          agentPrincipal(me),
          Array.from({ length: due }, () => request),
        );
        sent += due;
      }
      if (middle === 0 && performance.now() - startedMs > SECONDS * 500) middle = memory();
      await new Promise((resolve) => setTimeout(resolve, BATCH_MS));
    }
    await until('all have heard all', () => listeners.every(({ count }) => count() === sent), 120_000);
    const tookMs = performance.now() - startedMs;
    expect(listeners.flatMap(({ complaints }) => complaints)).toEqual([]);
    console.info(
      `${LISTENERS} listeners, ${sent} handoffs in ${Math.round(tookMs / 1000)} s, server ` +
        `${Math.round(((cpuOf(running.pid) - userBefore) / tookMs) * 1000)} % of a core, ` +
        `${Math.round(middle / 1024)} MiB in the middle, ${Math.round(memory() / 1024)} MiB at the end`,
    );
    expect(memory() / middle).toBeLessThan(2);
  });
});

/** In hundredths of a second, which is what the system counts in. */
function cpuOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}
