import { isIP } from 'node:net';
import { tokenIn } from '../../../domain/principal.ts';
import { AlreadyServing, requestLoginLink } from '../../../workspace/serving-file.ts';
import { LOG_LEVELS, type LogLevel } from '../../shared/log.ts';
import { theApp } from '../app.ts';
import { countArgument } from '../arguments.ts';
import { codeOf } from '../../../foundation/system-error-code.ts';
import { mustBeOperator, openFor, type CommonOptions, type Flags, type Lists, type Texts } from '../with-workspace.ts';
import { keepReadingHookSpool } from '../read-hook-spool.ts';
import { onInterrupt } from '../interrupt.ts';
import { onClosedPipe, type Output } from '../output.ts';
import { cliProblem, type Problem } from '../problem.ts';

type ServeOptions = CommonOptions & Flags<'withoutTls'> & Texts<'host' | 'port' | 'logLevel'> & Lists<'allowHost'>;

/** B-A-T-O-N on the keys of a telephone. */
const PORT = 22_866;
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|::1)$/;
const HOST_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,250}[A-Za-z0-9])?(?::[0-9]{1,5})?$/;

export async function serve(_args: readonly string[], options: ServeOptions, output: Output): Promise<number> {
  const host = hostOf(options);
  const allowHosts = (options.allowHost ?? []).map(hostName);
  const port = options.port === undefined ? null : countArgument(options.port, '--port', 0, 65_535);
  const { openLog, startServing } = theApp();
  const log = await openLog(levelOf(options.logLevel), (text) => void process.stderr.write(text));
  const app = await openFor(options, { report: (event) => log.event(event) });
  const interrupts = onInterrupt(() => log.info({}, 'stopping; press Ctrl-C again to end running requests now'));
  onClosedPipe(() => undefined);
  const endReading = keepReadingHookSpool(app.workspace);
  try {
    const startedWith = tokenIn(await mustBeOperator(app, options, 'write'));
    const at = { host, port: port ?? PORT, orAnyPort: port === null, allowHosts };
    const serving = await startServing(app, { ...at, log, startedWith });
    if (output.json) output.answer({ url: serving.url, link: serving.link });
    else {
      output.line(serving.link);
      if (port === null && new URL(serving.url).port !== String(PORT)) {
        output.note(
          `port ${PORT} is taken (perhaps another workspace is served there); this one has another port, --port chooses it`,
        );
      }
      output.note(`serving ${serving.where} at ${serving.url}; the link works once, for ten minutes; Ctrl-C to stop`);
    }
    await serving.until(interrupts.stop, interrupts.force);
    return 0;
  } catch (error) {
    throw await problemIn(error, host, port ?? PORT);
  } finally {
    endReading();
    await app.close();
  }
}

async function problemIn(error: unknown, host: string, port: number): Promise<unknown> {
  if (error instanceof AlreadyServing) return alreadyServing(error);
  const code = codeOf(error);
  if (code === 'EADDRINUSE') {
    return cliProblem('bad-request', `port ${port} is taken; choose another with --port, or any with --port 0`);
  }
  if (code === 'EADDRNOTAVAIL' || code === 'EACCES') {
    return cliProblem('bad-request', `cannot listen at ${host} port ${port}: ${code}`);
  }
  return error;
}

async function alreadyServing({ first }: AlreadyServing): Promise<Problem> {
  const link = await requestLoginLink(first);
  const says = `this workspace is served already at ${first.url} (process ${first.process.pid})`;
  return cliProblem('already-serving', `${says}${link === null ? '' : `; a new link to it:\n${link}`}`, {
    url: first.url,
    ...(link === null ? {} : { link }),
  });
}

/** Listening beyond this machine needs `--without-tls`, because tokens and texts would travel unencrypted. */
function hostOf({ host = '127.0.0.1', withoutTls }: ServeOptions): string {
  if (host !== 'localhost' && isIP(host) === 0) {
    throw cliProblem('bad-request', `--host ${JSON.stringify(host)}: an address of this machine, or localhost`);
  }
  if (LOOPBACK.test(host) || withoutTls === true) return host;
  throw cliProblem(
    'bad-request',
    `--host ${host} lets others than this machine in, and this server has no TLS: tokens would travel in the clear. ` +
      'Put a proxy with TLS before it and leave it on 127.0.0.1 (with --allow-host NAME), or say --without-tls',
  );
}

function hostName(text: string): string {
  if (HOST_NAME.test(text)) return text;
  throw cliProblem('bad-request', `--allow-host ${JSON.stringify(text)}: a name like baton.example.org or name:8443`);
}

function levelOf(text: string | undefined): LogLevel {
  const level = text === undefined ? 'info' : LOG_LEVELS.find((each) => each === text);
  if (level !== undefined) return level;
  throw cliProblem('bad-request', `--log-level ${JSON.stringify(text)}: one of ${LOG_LEVELS.join(', ')}`);
}
