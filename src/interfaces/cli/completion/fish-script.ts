/** Completion for fish, which splits and unquotes what was typed without running it. */
export const FISH_SCRIPT = `# fish completion for baton: baton complete fish | source
function __baton_complete
    set -l typed (commandline -opc)
    set -l current (commandline -ct)
    for answer in (command $typed[1] complete -- $typed[2..] "$current" 2>/dev/null)
        switch $answer
            case ':0'
                __fish_complete_path "$current"
            case ':16'
                __fish_complete_directories "$current" ''
            case ':*'
            case '*'
                printf '%s\\n' $answer
        end
    end
end
complete -c baton -e
complete -c baton -f -a '(__baton_complete)'
`;
