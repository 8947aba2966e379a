import { accessSync, constants } from 'node:fs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { howToGet, needComponent } from '../support/components.ts';

describe('the components that tests need', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });

  it('are programs that can be run', async (context) => {
    const python = await needComponent('python3');
    if (python === null) return context.skip(howToGet('python3'));
    expect(() => accessSync(python, constants.X_OK)).not.toThrow();
  });

  describe('where nothing can be found or installed', () => {
    const withoutAnything = (): void => {
      vi.stubEnv('PATH', '');
      vi.spyOn(process, 'getuid').mockReturnValue(1000);
    };

    it('are null on a developer’s machine, so that the test skips with the reason', async () => {
      withoutAnything();
      vi.stubEnv('CI', '');
      expect(await needComponent('tmux')).toBeNull();
      expect(howToGet('tmux')).toBe('tmux is missing: apt-get install tmux');
    });

    it('are an error in CI, where a skipped test is one that nobody runs', async () => {
      withoutAnything();
      vi.stubEnv('CI', '1');
      await expect(needComponent('tmux')).rejects.toThrow('apt-get install tmux');
    });
  });
});
