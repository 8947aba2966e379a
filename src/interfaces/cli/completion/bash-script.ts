/**
 * Completion for bash 3.2 and newer, without the package bash-completion. What was typed is passed on word by word and
 * never run. Bash splits words at `@`, `:` and `=`; so the word at the cursor is taken from the line, and from each answer
 * is taken away what bash keeps.
 */
export const BASH_SCRIPT = `# bash completion for baton: source <(baton complete bash)
_baton_complete() {
  local line="\${COMP_LINE:0:COMP_POINT}" current answer word end=':4' typed=()
  read -ra typed <<< "$line"
  [[ $line == *[[:space:]] ]] && typed+=('')
  while [[ \${#typed[@]} -gt 1 && \${typed[0]} != "$1" ]]; do typed=("\${typed[@]:1}"); done
  current="\${typed[\${#typed[@]}-1]}"
  local piece="\${COMP_WORDS[COMP_CWORD]}" kept=''
  [[ -n $piece && $current == *"$piece" ]] && kept="\${current%"$piece"}"
  COMPREPLY=()
  while IFS= read -r answer; do
    case $answer in
      :*) end=$answer ;;
      *) word="\${answer%%$'\\t'*}"; [[ -n $word ]] && COMPREPLY+=("\${word#"$kept"}") ;;
    esac
  done < <("$1" complete -- "\${typed[@]:1}" 2>/dev/null)
  case $end in
    :0) return ;;
    :16) while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -d -- "$piece")
      compopt -o filenames 2>/dev/null ;;
    *) compopt +o default 2>/dev/null ;;
  esac
}
complete -o default -F _baton_complete baton
`;
