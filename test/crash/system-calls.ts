/** What a program did to its files, in order, as strace has written it down. */
import { readFileSync } from 'node:fs';

export type Call =
  | { readonly kind: 'write'; readonly path: string; readonly offset: number; readonly bytes: Buffer }
  | { readonly kind: 'truncate'; readonly path: string; readonly size: number }
  | { readonly kind: 'create'; readonly path: string }
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'link'; readonly from: string; readonly to: string }
  | { readonly kind: 'rename'; readonly from: string; readonly to: string }
  | { readonly kind: 'unlink'; readonly path: string }
  /** Certain only from the second on; what is written in between is not covered. */
  | { readonly kind: 'sync-begins'; readonly path: string; readonly thread: string }
  | { readonly kind: 'sync-ends'; readonly path: string; readonly thread: string }
  | { readonly kind: 'said'; readonly text: string };

const TRACED =
  'openat,pwrite64,write,ftruncate,fsync,fdatasync,' +
  'mkdir,mkdirat,link,linkat,rename,renameat,renameat2,unlink,unlinkat,rmdir';

/** Everything in hexadecimal, every descriptor with its path, and nothing cut off. */
export function straceArguments(output: string): readonly string[] {
  const shape = ['-f', '-y', '-xx', '-s', '4000000', '-qq', '--seccomp-bpf', '-e', 'signal=none'];
  return [...shape, '-e', `trace=${TRACED}`, '-o', output];
}

const LINE = /^(\d+) +(?:<\.\.\. (\w+) resumed>|(\w+)\()(.*)$/s;

export function readCalls(file: string): readonly Call[] {
  const calls: Call[] = [];
  const unfinished = new Map<string, string>();
  for (const line of readFileSync(file, 'latin1').split('\n')) {
    const [, thread = '', resumed, begun, rest = ''] = LINE.exec(line) ?? [];
    if (thread === '') continue;
    const name = resumed ?? begun ?? '';
    const isOpen = rest.endsWith('<unfinished ...>');
    const text = (unfinished.get(thread) ?? '') + rest.replace(' <unfinished ...>', '');
    if (isOpen) unfinished.set(thread, text);
    else unfinished.delete(thread);
    if (name === 'fsync' || name === 'fdatasync') {
      const path = pathOfDescriptor(text);
      if (resumed === undefined) calls.push({ kind: 'sync-begins', path, thread });
      if (!isOpen && resultOf(text) === 0) calls.push({ kind: 'sync-ends', path, thread });
    } else if (!isOpen && resultOf(text) >= 0) {
      const call = readCall(name, text);
      if (call !== null) calls.push(call);
    }
  }
  return calls;
}

function readCall(name: string, text: string): Call | null {
  switch (name) {
    case 'openat':
      return text.includes('O_CREAT') ? { kind: 'create', path: pathOfResult(text) } : null;
    case 'pwrite64': {
      const offset = Number(/, (\d+)\) += \d+$/.exec(text)?.[1]);
      return {
        kind: 'write',
        path: pathOfDescriptor(text),
        offset,
        bytes: firstString(text).subarray(0, resultOf(text)),
      };
    }
    case 'write':
      return text.startsWith('1<') ? { kind: 'said', text: firstString(text).toString('utf8') } : null;
    case 'ftruncate':
      return { kind: 'truncate', path: pathOfDescriptor(text), size: Number(/, (\d+)\) +=/.exec(text)?.[1]) };
    case 'mkdir':
    case 'mkdirat':
      return { kind: 'folder', path: firstString(text).toString('utf8') };
    case 'unlink':
    case 'unlinkat':
    case 'rmdir':
      return { kind: 'unlink', path: firstString(text).toString('utf8') };
    default: {
      const [from, to] = strings(text).map((bytes) => bytes.toString('utf8'));
      if (from === undefined || to === undefined) return null;
      return { kind: name.startsWith('link') ? 'link' : 'rename', from, to };
    }
  }
}

function resultOf(text: string): number {
  return Number(/\) += (-?\d+)(?:<[^>]*>)?(?: .*)?$/.exec(text)?.[1] ?? -1);
}

function strings(text: string): readonly Buffer[] {
  return [...text.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map((match) => unescaped(match[1] ?? ''));
}

function firstString(text: string): Buffer {
  const from = text.indexOf('"') + 1;
  return unescaped(text.slice(from, text.indexOf('"', from)));
}

function pathOfDescriptor(text: string): string {
  return unescaped(/^\d+<([^>]*)>/.exec(text)?.[1] ?? '').toString('utf8');
}

function pathOfResult(text: string): string {
  return unescaped(/\) += \d+<([^>]*)>$/.exec(text)?.[1] ?? '').toString('utf8');
}

function unescaped(hexadecimal: string): Buffer {
  return Buffer.from(hexadecimal.replaceAll('\\x', ''), 'hex');
}
