/** Puts Python itself on the path where `python3` is a script that looks for it and takes twice as long as Python. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

/** Changes nothing where Python is missing. Answers how to take it away. */
export function putPythonOnPath(): () => void {
  const told = spawnSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' });
  if (told.error !== undefined || told.status !== 0) return () => undefined;
  const folder = mkdtempSync(join(tmpdir(), 'baton-test-python-'));
  symlinkSync(told.stdout.trim(), join(folder, 'python3'));
  process.env['PATH'] = `${folder}${delimiter}${process.env['PATH'] ?? ''}`;
  return () => rmSync(folder, { recursive: true, force: true });
}
