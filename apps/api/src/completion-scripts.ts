/**
 * The script for bash. What was typed goes on as it is, word by word, and is never evaluated. Where the program has no
 * candidates, bash completes names of files.
 */
export const bashScript: string = `# bash completion for plant-store
_plant_store() {
  local candidate
  COMPREPLY=()
  while IFS=$'\\t' read -r candidate _; do
    # The line with a colon is a directive of the library's.
    [[ $candidate == :* || $candidate != "$2"* ]] || COMPREPLY+=("$candidate")
  done < <(plant-store complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _plant_store plant-store
`;

/** The same for zsh, after `compinit`. */
export const zshScript: string = `#compdef plant-store
_plant_store() {
  local candidate
  local -a candidates
  while IFS=$'\\t' read -r candidate _; do
    [[ $candidate == :* || $candidate != "$PREFIX"* ]] || candidates+=("$candidate")
  done < <(plant-store complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( $#candidates )); then compadd -- "\${candidates[@]}"; else _files; fi
}
compdef _plant_store plant-store
`;
