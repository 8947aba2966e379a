/** Completion for zsh. `Q` takes the quotes from what was typed and runs nothing of it; `PREFIX` ends at the cursor. */
export const ZSH_SCRIPT = `#compdef baton
# zsh completion for baton: source <(baton complete zsh)
_baton() {
  local answer end=':4'
  local -a typed words_found
  (( CURRENT > 2 )) && typed=("\${(@Q)words[2,CURRENT-1]}")
  while IFS= read -r answer; do
    case $answer in
      :*) end=$answer ;;
      *) words_found+=("\${\${answer%%$'\\t'*}//:/\\\\:}:\${answer#*$'\\t'}") ;;
    esac
  done < <("\${(Q)words[1]}" complete -- "\${typed[@]}" "\${(Q)PREFIX}" 2>/dev/null)
  case $end in
    :0) _files ;;
    :16) _files -/ ;;
    *) (( \${#words_found} )) && _describe -t words 'baton' words_found ;;
  esac
}
if [[ \${funcstack[1]} == _baton ]]; then
  _baton "$@"
else
  (( \${+functions[compdef]} )) || { autoload -Uz compinit && compinit }
  compdef _baton baton
fi
`;
