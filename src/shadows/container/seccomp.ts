/**
 * A stricter seccomp profile, derived from podman's. Podman's profile allows a program to create namespaces, in which it is
 * root and reaches much more of the kernel. Docker's profile already refuses that.
 */
import { readFileSync } from 'node:fs';
import { orNull } from '../../foundation/or-null.ts';

const PODMAN_PROFILES = ['/usr/share/containers/seccomp.json', '/etc/containers/seccomp.json'];

const REFUSED = new Set(
  (
    'unshare setns mount umount umount2 pivot_root move_mount open_tree fsopen fsconfig fsmount fspick mount_setattr ' +
    'keyctl add_key request_key bpf perf_event_open userfaultfd name_to_handle_at open_by_handle_at io_uring_setup ' +
    'io_uring_enter io_uring_register clone clone3 process_vm_readv process_vm_writev kcmp quotactl chroot'
  ).split(' '),
);
/** Every flag of `clone` that makes a namespace. */
const NAMESPACE_FLAGS = 0x7e02_0000;
const NOT_IMPLEMENTED = 38;
const NOT_PERMITTED = 1;

interface Profile {
  readonly syscalls: readonly { readonly names: readonly string[]; readonly action: string }[];
}

/** Null: there is no profile to derive it from, and the runtime's own stays. */
export function strictSeccomp(): string | null {
  for (const path of PODMAN_PROFILES) {
    const profile = orNull(() => derived(JSON.parse(readFileSync(path, 'utf8')) as Profile));
    if (profile !== null) return profile;
  }
  return null;
}

function derived(profile: Profile): string {
  const kept = profile.syscalls
    .filter(({ action }) => action !== 'SCMP_ACT_ERRNO')
    .map((rule) => ({ ...rule, names: rule.names.filter((name) => !REFUSED.has(name)) }))
    .filter(({ names }) => names.length > 0);
  const clone = {
    names: ['clone'],
    action: 'SCMP_ACT_ALLOW',
    args: [{ index: 0, value: NAMESPACE_FLAGS, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' }],
  };
  // Programs that get "not implemented" use `clone` instead.
  const modern = { names: ['clone3', 'io_uring_setup'], action: 'SCMP_ACT_ERRNO', errnoRet: NOT_IMPLEMENTED };
  return JSON.stringify({
    ...profile,
    defaultAction: 'SCMP_ACT_ERRNO',
    defaultErrnoRet: NOT_PERMITTED,
    syscalls: [...kept, clone, modern],
  });
}
