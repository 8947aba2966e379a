#!/bin/sh
# A handoff from draft to completed with the shell alone: @pm asks, @dev does it, @qa looks at it.
#
#   sh shell.sh        (with `baton` on the PATH)
set -eu

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
baton init

# A draft, with what has to be shown, what has to be checked, and by whom. `create` prints its id.
id=$(baton create --document --from @pm --to @dev --title 'Login page' \
  --deliverable 'login page' --criterion 'works on a phone' --verifier @qa)
baton activate "$id" --as @pm
baton accept "$id" --as @dev --notes 'by tomorrow'

# A claim is not enough: there has to be such a file. Exit code 4 is a refusal; nothing was changed.
code=0
baton deliver "$id" --as @dev --evidence 'login page=file:login.html' || code=$?
[ "$code" -eq 4 ]

echo '<form></form>' > login.html
baton deliver "$id" --as @dev --evidence 'login page=file:login.html'

# The doer cannot verify their own work; @qa can, and sends it back with a reason.
code=0
baton verify "$id" --as @dev --check 'works on a phone=I say so' || code=$?
[ "$code" -eq 4 ]
baton verify "$id" --as @qa --refuse 'the button is missing' --rework

echo '<form><button>Log in</button></form>' > login.html
baton deliver "$id" --as @dev --evidence 'login page=file:login.html'
baton verify "$id" --as @qa --check 'works on a phone=tried it'

baton show "$id"
baton inbox @pm
