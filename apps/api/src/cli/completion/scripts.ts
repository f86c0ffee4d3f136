/**
 * The script for bash. Words are passed on as typed and never evaluated. Without candidates, bash completes file names.
 */
export const bashScript: string = `# bash completion for plant-store
_plant_store() {
  local candidate current=$2 words=("\${COMP_WORDS[@]:1:COMP_CWORD-1}")
  # Bash splits --option=value into three words; the = may be the current one.
  [[ \${COMP_WORDS[COMP_CWORD]} != = ]] || current=
  [[ \${COMP_WORDS[COMP_CWORD-1]} != = ]] || unset 'words[COMP_CWORD-2]'
  COMPREPLY=()
  while IFS=$'\\t' read -r candidate _; do
    # A line that begins with a colon is a directive of the library.
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
  # In --option=value, the value is completed.
  compset -P '--*='
  while IFS=$'\\t' read -r candidate _; do
    [[ $candidate == :* || $candidate != "$PREFIX"* ]] || candidates+=("$candidate")
  done < <(plant-store complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( $#candidates )); then compadd -- "\${candidates[@]}"; else _files; fi
}
compdef _plant_store plant-store
`;

/** The same for fish, which also shows the descriptions. */
export const fishScript: string = `# fish completion for plant-store
function __plant_store
    set -l word (commandline -ct)
    set -l words (commandline -opc) "$word"
    # A line that begins with a colon is a directive of the library.
    set -l candidates (plant-store complete -- $words[2..-1] 2>/dev/null | string match -v ':*')
    # In --option=value, only the value is completed.
    set -l option (string match -r -- '^--[^=]+=' $word)
    set -g __plant_store_candidates "$option"$candidates
    set -q candidates[1]
end
complete -c plant-store -f -n __plant_store -a '$__plant_store_candidates'
`;
