/**
 * The script for bash. What was typed goes on as it is, word by word, and is never evaluated. Where the program has no
 * candidates, bash completes names of files.
 */
export const bashScript: string = `# bash completion for plant-store
_plant_store() {
  local candidate current=$2 words=("\${COMP_WORDS[@]:1:COMP_CWORD-1}")
  # To bash, --option=value is three words, of which the = may be the one that is completed.
  [[ \${COMP_WORDS[COMP_CWORD]} != = ]] || current=
  [[ \${COMP_WORDS[COMP_CWORD-1]} != = ]] || unset 'words[COMP_CWORD-2]'
  COMPREPLY=()
  while IFS=$'\\t' read -r candidate _; do
    # The line with a colon is a directive of the library's.
    [[ $candidate == :* || $candidate != "$current"* ]] || COMPREPLY+=("$candidate")
  done < <(plant-store complete -- "\${words[@]}" "$current" 2>/dev/null)
}
complete -o default -F _plant_store plant-store
`;

/** The same for zsh, after `compinit`. */
export const zshScript: string = `#compdef plant-store
_plant_store() {
  local candidate
  local -a candidates
  # Of --option=value, what is completed is the value.
  compset -P '--*='
  while IFS=$'\\t' read -r candidate _; do
    [[ $candidate == :* || $candidate != "$PREFIX"* ]] || candidates+=("$candidate")
  done < <(plant-store complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( $#candidates )); then compadd -- "\${candidates[@]}"; else _files; fi
}
compdef _plant_store plant-store
`;

/** The same for fish, which shows what each candidate means as well. */
export const fishScript: string = `# fish completion for plant-store
function __plant_store
    set -l word (commandline -ct)
    set -l words (commandline -opc) "$word"
    # The line with a colon is a directive of the library's.
    set -l candidates (plant-store complete -- $words[2..-1] 2>/dev/null | string match -v ':*')
    # Of --option=value, the program completes the value alone.
    set -l option (string match -r -- '^--[^=]+=' $word)
    set -g __plant_store_candidates "$option"$candidates
    set -q candidates[1]
end
complete -c plant-store -f -n __plant_store -a '$__plant_store_candidates'
`;
