/**
 * The redirect (V3): inside of a shadow, git's own helper for http(s) and the ssh program are replaced by scripts that
 * serve registered sources from their snapshots and refuse everything else. `insteadOf` cannot do this: it is a prefix
 * match, so it misses spellings and catches repositories with a similar name.
 */
import { INSIDE } from '../domain/shadow-plan.ts';

/** Host and path of an address → the folder of its snapshot; exit code 1: not registered. */
const RESOLVE = `#!/bin/sh
host=$(printf %s "$1" | tr 'A-Z' 'a-z')
host=\${host##*@}
for port in 443 80 22; do host=\${host%:$port}; done
host=\${host%.}
host=\${host#www.}
path=\${2%%\\?*}
path=\${path%%\\#*}
path=$(printf %s "$path" | tr 'A-Z' 'a-z')
while :; do
  case $path in
    /*) path=\${path#/} ;;
    */) path=\${path%/} ;;
    *) break ;;
  esac
done
path=\${path%%@*}
path=\${path%.git}
case $host in '' | *[!a-z0-9.-]*) exit 1 ;; esac
case $path in
  '' | */*/* | *..* | .* | */.* | *[!a-z0-9._/-]*) exit 1 ;;
  */*) ;;
  *) exit 1 ;;
esac
folder=${INSIDE.snapshots}/$host/$path.git
[ -d "$folder" ] && printf '%s\\n' "$folder"
`;

/** Speaks the protocol between git and its remote helpers; only fetching is offered. */
const REMOTE_HELPER = `#!/bin/sh
address=\${2:-$1}
rest=\${address#*://}
host=\${rest%%/*}
case $rest in */*) path=/\${rest#*/} ;; *) path=/ ;; esac
folder=$(${INSIDE.support}/bin/resolve-source "$host" "$path") || {
  echo "fatal: shadow: \${address%%://*}://\${host##*@}$path is not a registered source and the network is off" >&2
  exit 128
}
while read -r request argument; do
  case $request in
    capabilities) printf 'connect\\n\\n' ;;
    connect)
      [ "$argument" = git-upload-pack ] || {
        echo "fatal: shadow: the snapshot is read-only ($argument refused)" >&2
        exit 128
      }
      printf '\\n'
      exec git upload-pack --strict "$folder"
      ;;
    *) printf 'unsupported\\n' ;;
  esac
done
`;

const SSH = `#!/bin/sh
while [ $# -gt 0 ]; do
  case $1 in
    -o | -p | -i | -F | -l) shift 2 ;;
    -G) exit 1 ;;
    -*) shift ;;
    *) break ;;
  esac
done
host=$1
shift
command="$*"
service=\${command%% *}
path=\${command#* }
path=\${path#\\'}
path=\${path%\\'}
folder=$(${INSIDE.support}/bin/resolve-source "$host" "$path") || {
  echo "fatal: shadow: \${host##*@}:$path is not a registered source and the network is off" >&2
  exit 128
}
case $service in
  git-upload-pack) exec git upload-pack --strict "$folder" ;;
  *)
    echo "fatal: shadow: the snapshot is read-only ($service refused)" >&2
    exit 128
    ;;
esac
`;

/** npm requests a tarball first, and falls back to git on an HTTP error, but not where the connection fails. */
const ANSWER_404 = `import net from 'node:net';
const answer = 'HTTP/1.1 404 Not Found\\r\\nContent-Length: 0\\r\\nConnection: close\\r\\nX-Shadow: the network is off\\r\\n\\r\\n';
net
  .createServer((client) => {
    client.on('error', () => {});
    client.once('data', () => client.end(answer));
  })
  .listen(3128, '127.0.0.1');
`;

const GIT_CONFIG = `[safe]
	directory = *
[core]
	sshCommand = ${INSIDE.support}/bin/ssh
[ssh]
	variant = ssh
[url "https://github.com/"]
	insteadOf = git://github.com/
[uploadpack]
	allowAnySHA1InWant = true
[init]
	defaultBranch = main
[advice]
	detachedHead = false
[gc]
	auto = 0
`;

/** The files of the support folder, by path; those in `bin/` are programs. */
export const SUPPORT_FILES: Readonly<Record<string, string>> = {
  'bin/resolve-source': RESOLVE,
  'bin/git-remote-http': REMOTE_HELPER,
  'bin/ssh': SSH,
  'bin/answer-404.mjs': ANSWER_404,
  gitconfig: GIT_CONFIG,
};
