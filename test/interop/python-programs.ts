/** The programs of the specification, cut out of its text and run as they are. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeBlocks } from '../formats/queue-message/messages.ts';
import { type Ended, quickBaton, type Running, start, startBaton, tempFolder } from '../support/processes.ts';

/** What the specification's programs use and do not define, and nothing else. */
const AROUND = `
class HandoffFailedException(Exception):
    pass

class HandoffTimeoutException(Exception):
    pass

def generate_react_components(data):
    return GENERATE(data)

GENERATE = lambda data: {"id": "artifact-py", "path": "artifacts/phase-13-react/artifact-py.json"}
`;

/** Five seconds between two looks are the specification's; a test looks more often. */
const IMPATIENT = `
import handoff, os, sys, json, time
really = time.sleep
handoff.time.sleep = lambda seconds: really(min(seconds, 0.02))
`;

export interface PythonWorkspace {
  readonly folder: string;
  readonly python: (program: string) => Running;
  readonly baton: (args: readonly string[]) => Promise<Ended>;
  readonly start: (args: readonly string[]) => Running;
  readonly lines: (file: string) => readonly string[];
}

export async function pythonWorkspace(interpreter: string, configuration = ''): Promise<PythonWorkspace> {
  const folder = tempFolder();
  const made = await quickBaton(['init', '--template', 'queue'], { cwd: folder });
  if (made.code !== 0) throw new Error(made.stderr);
  writeFileSync(
    join(folder, 'baton.yaml'),
    configuration.includes('folders:') ? configuration : `folders: { queue: on }\n${configuration}`,
  );
  mkdirSync(join(folder, 'lib'));
  const programs = codeBlocks('python').join('\n\n');
  writeFileSync(join(folder, 'lib/handoff.py'), `${programs}\n${AROUND}`);
  return {
    folder,
    python: (program) =>
      start(interpreter, ['-W', 'ignore', '-c', `${IMPATIENT}\n${program}`], {
        cwd: folder,
        env: { PYTHONPATH: join(folder, 'lib'), PYTHONDONTWRITEBYTECODE: '1' },
      }),
    baton: (args) => quickBaton(args, { cwd: folder }),
    start: (args) => startBaton(args, { cwd: folder }),
    lines: (file) =>
      readFileSync(join(folder, file), 'utf8')
        .split('\n')
        .filter((line) => line !== ''),
  };
}
