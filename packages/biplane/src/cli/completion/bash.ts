import { tables } from "./tables.ts";
import type { CompletionNames } from "./tables.ts";
import type { CompletionCommand } from "./command-tree.ts";

/** Completion for bash 3.2, which macOS ships, and later. */
export function bashScript(commands: readonly CompletionCommand[], names: CompletionNames): string {
  return `# Completion for biplane. In ~/.bashrc: source <(biplane completion bash)
${tables(commands, names)}
${driver}`;
}

const driver = String.raw`
# Sets COMPREPLY to the words, files or folders of a kind that start with what was typed.
_biplane_answer() {
  local kind="$1" typed="$2" head=""
  case "$kind" in
    words*) COMPREPLY=($(compgen -W "${"${kind#words}"}" -- "$typed")) ;;
    list*)
      case "$typed" in *,*) head="${"${typed%,*}"}," ;; esac
      COMPREPLY=($(compgen -P "$head" -W "${"${kind#list}"}" -- "${"${typed##*,}"}"))
      if [ "${"${#COMPREPLY[@]}"}" -eq 0 ]; then _biplane_files "$typed"; fi ;;
    runs*)
      COMPREPLY=($(compgen -W "$("${"${COMP_WORDS[0]}"}" completion --names runs 2>/dev/null)" -- "$typed"))
      if [ "${"${#COMPREPLY[@]}"}" -eq 0 ] && [ "$kind" = runs-or-files ]; then _biplane_files "$typed"; fi ;;
    file) _biplane_files "$typed" ;;
    folder) compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -d -- "$typed")) ;;
  esac
}

_biplane_files() {
  compopt -o filenames 2>/dev/null
  COMPREPLY=($(compgen -f -- "$1"))
}

_biplane() {
  local IFS=$' \t\n' typed=() command="" option="" glue="" count=0 i word last kind
  COMPREPLY=()
  # bash splits words at = and :. Join them again.
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word="${"${COMP_WORDS[i]}"}"
    last=$((${"${#typed[@]}"} - 1))
    if [ "$last" -ge 0 ] && { [ "$word" = "=" ] || [ "$word" = ":" ]; }; then
      typed[last]="${"${typed[last]}"}$word"; glue=1
    elif [ -n "$glue" ] && [ "$last" -ge 0 ]; then
      typed[last]="${"${typed[last]}"}$word"; glue=""
    else
      typed+=("$word"); glue=""
    fi
  done
  last=$((${"${#typed[@]}"} - 1))
  for ((i = 0; i < last; i++)); do
    word="${"${typed[i]}"}"
    if [ -n "$option" ]; then option=""; continue; fi
    case "$word" in
      --) return ;;
      --*=*) ;;
      -*) if [ -n "$(_biplane_value "$command $word")" ]; then option="$word"; fi ;;
      *)
        case " $(_biplane_subcommands "$command") " in
          *" $word "*) command="${"${command:+$command }"}$word"; count=0 ;;
          *) count=$((count + 1)) ;;
        esac ;;
    esac
  done
  word="${"${typed[last]}"}"
  if [ -n "$option" ]; then
    _biplane_answer "$(_biplane_value "$command $option")" "$word"
    return
  fi
  case "$word" in
    --*=*) _biplane_answer "$(_biplane_value "$command ${"${word%%=*}"}")" "${"${word#*=}"}" ;;
    -*) _biplane_answer "words $(_biplane_options "$command")" "$word" ;;
    *)
      kind="$(_biplane_subcommands "$command")"
      if [ -n "$kind" ]; then _biplane_answer "words $kind" "$word"
      else _biplane_answer "$(_biplane_argument "$command $count")" "$word"; fi ;;
  esac
}

complete -F _biplane biplane
`;
