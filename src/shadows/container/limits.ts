/** The limits that are really enforced, read from inside: some runtimes silently ignore limits. */
import type { LimitName, LimitState } from '../../domain/shadow.ts';

export interface WantedLimits {
  readonly memoryBytes: number;
  readonly processes: number;
  readonly cpus: number;
}

/** Prints lines of `name=value`, for control groups of both versions. Missing values print nothing. */
export const PROBE = [
  'for f in /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes; do [ -r $f ] && echo "memory=$(cat $f)"; done',
  'for f in /sys/fs/cgroup/pids.max /sys/fs/cgroup/pids/pids.max; do [ -r $f ] && echo "processes=$(cat $f)"; done',
  '[ -r /sys/fs/cgroup/cpu.max ] && echo "cpu=$(cat /sys/fs/cgroup/cpu.max)"',
  '[ -r /sys/fs/cgroup/cpu/cpu.cfs_quota_us ] && echo "cpu=$(cat /sys/fs/cgroup/cpu/cpu.cfs_quota_us) $(cat /sys/fs/cgroup/cpu/cpu.cfs_period_us)"',
  'echo "tasks=$(grep "^Max processes" /proc/self/limits | tr -s " " | cut -d" " -f3)"',
  'grep -E "^(CapEff|CapBnd|NoNewPrivs|Seccomp):" /proc/self/status | tr -d " \\t" | sed "s/:/=/"',
  'echo "interfaces=$(tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d " " | tr "\\n" " ")"',
  'if touch /baton-probe 2>/dev/null; then echo "root=writable"; else echo "root=read-only"; fi',
  'echo "work=$(df -k /workspace | tail -n 1 | tr -s " " | cut -d" " -f2)"',
  'true',
].join('\n');

const REASON = 'rootless on control groups of version 1 ignores it; run as root, or on a system with version 2';
/** What a file system in memory may hold; more means that it is a disk of the host. */
const WORK_KB_MAX = 64 * 1024 * 1024;

export function readLimits(text: string, wanted: WantedLimits): readonly LimitState[] {
  const values = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [, name = '', value = ''] = /^([A-Za-z]+)=(.*)$/.exec(line.trim()) ?? [];
    if (name !== '' && !values.has(name)) values.set(name, value.trim());
  }
  const numberOf = (name: string): number => Number(values.get(name) || Number.NaN);
  const interfaces = (values.get('interfaces') ?? '?').split(' ').filter((name) => name !== '' && name !== 'lo');
  const memory = numberOf('memory');
  const processes = Math.min(orInfinite(numberOf('processes')), orInfinite(numberOf('tasks')));
  const workKb = numberOf('work');
  return [
    state('network', interfaces.length === 0, 'no interface but loopback', `it sees ${interfaces.join(', ')}`),
    state(
      'capabilities',
      isZero(values.get('CapEff')) && isZero(values.get('CapBnd')),
      'none',
      'capabilities are left',
    ),
    state('privileges', values.get('NoNewPrivs') === '1', 'no new privileges', 'a program may gain privileges'),
    state('system_calls', values.get('Seccomp') === '2', 'filtered', 'no filter of system calls is active'),
    state('read_only_root', values.get('root') === 'read-only', 'read-only', 'the root file system can be written'),
    state('memory', memory <= wanted.memoryBytes, `${Math.round(memory / 1024 ** 2)} MB`, `not limited: ${REASON}`),
    state('processes', processes <= wanted.processes, String(processes), `not limited: ${REASON}`),
    state('cpu', cpusOf(values.get('cpu')) <= wanted.cpus + 0.01, `${wanted.cpus} cores`, `not limited: ${REASON}`),
    state(
      'disk',
      workKb <= WORK_KB_MAX,
      `${Math.round(workKb / 1024)} MB in memory`,
      'the disk of the host is written',
    ),
    state('time', true, 'held by Baton', ''),
    state('output', true, 'held by Baton', ''),
  ];
}

function state(name: LimitName, enforced: boolean, holds: string, fails: string): LimitState {
  return { name, enforced, says: enforced ? holds : fails };
}

function isZero(mask: string | undefined): boolean {
  return mask !== undefined && /^0+$/.test(mask);
}

function orInfinite(value: number): number {
  return Number.isFinite(value) ? value : Number.POSITIVE_INFINITY;
}

function cpusOf(text: string | undefined): number {
  const [quota = Number.NaN, period = Number.NaN] = (text ?? '').split(' ').map(Number);
  return quota > 0 && period > 0 ? quota / period : Number.POSITIVE_INFINITY;
}
