import { tables } from "./tables.ts";
import type { Names } from "./tables.ts";
import type { Place } from "./tree.ts";

/** Completion for bash, from version 3.2 on, which is what macOS has. */
export function bashScript(places: readonly Place[], names: Names): string {
  return `# Completion for biplane. In ~/.bashrc: source <(biplane completion bash)
${tables(places, names)}
${driver}`;
}

const driver = String.raw`
# Answers with the words, files or folders that fit a kind and what has been typed of it.
_biplane_answer() {
  local kind="$1" typed="$2" head=""
  case "$kind" in
    words*) COMPREPLY=($(compgen -W "${"${kind#words}"}" -- "$typed")) ;;
    list*)
      case "$typed" in *,*) head="${"${typed%,*}"}," ;; esac
      COMPREPLY=($(compgen -P "$head" -W "${"${kind#list}"}" -- "${"${typed##*,}"}"))
      if [ "${"${#COMPREPLY[@]}"}" -eq 0 ]; then _biplane_files "$typed"; fi ;;
    runs*)
      COMPREPLY=($(compgen -W "$("${"${COMP_WORDS[0]}"}" completion --words runs 2>/dev/null)" -- "$typed"))
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
  local IFS=$' \t\n' typed=() place="" option="" glue="" count=0 i word last kind
  COMPREPLY=()
  # bash cuts words at = and :, and they are put together again here.
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
      -*) if [ -n "$(_biplane_value "$place $word")" ]; then option="$word"; fi ;;
      *)
        case " $(_biplane_below "$place") " in
          *" $word "*) place="${"${place:+$place }"}$word"; count=0 ;;
          *) count=$((count + 1)) ;;
        esac ;;
    esac
  done
  word="${"${typed[last]}"}"
  if [ -n "$option" ]; then
    _biplane_answer "$(_biplane_value "$place $option")" "$word"
    return
  fi
  case "$word" in
    --*=*) _biplane_answer "$(_biplane_value "$place ${"${word%%=*}"}")" "${"${word#*=}"}" ;;
    -*) _biplane_answer "words $(_biplane_options "$place")" "$word" ;;
    *)
      kind="$(_biplane_below "$place")"
      if [ -n "$kind" ]; then _biplane_answer "words $kind" "$word"
      else _biplane_answer "$(_biplane_word "$place $count")" "$word"; fi ;;
  esac
}

complete -F _biplane biplane
`;
