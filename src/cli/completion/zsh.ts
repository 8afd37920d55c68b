import { quoted, tables } from "./tables.ts";
import type { Names } from "./tables.ts";
import type { Place } from "./tree.ts";

/** Completion for zsh, with what each command and option is for. */
export function zshScript(places: readonly Place[], names: Names): string {
  return `#compdef biplane
# Completion for biplane. In ~/.zshrc, after compinit: source <(biplane completion zsh)
${tables(places, names)}
${described("_biplane_described_below", places, ({ below }) => below.map(({ name, about }) => [name, about]))}
${described("_biplane_described_options", places, ({ options }) =>
  options.flatMap(({ spellings, about }) => spellings.map((spelling) => [spelling, about] as const)),
)}
${driver}`;
}

type Row = readonly [name: string, about: string];

/** A function that puts \`name:what it is for\` into the array \`rows\`. */
function described(name: string, places: readonly Place[], rowsOf: (place: Place) => readonly Row[]): string {
  const cases = places.flatMap((place) => {
    const rows = rowsOf(place).map(([each, about]) => quoted(`${each.replaceAll(":", String.raw`\:`)}:${about}`));
    return rows.length === 0 ? [] : [`    ${quoted(place.path)}) rows=(${rows.join(" ")}) ;;`];
  });
  return `${name}() {\n  case "$1" in\n${cases.join("\n")}\n  esac\n}`;
}

const driver = String.raw`
_biplane_answer() {
  local kind="$1"
  local -a found
  case "$kind" in
    words*) found=(${"${=kind#words}"}); compadd -a found ;;
    list*) found=(${"${=kind#list}"}); compset -P '*,'; compadd -a found; _files ;;
    runs*) found=(${'${(f)"$(${words[1]} completion --words runs 2>/dev/null)"}'}); compadd -V runs -a found; if [[ "$kind" = runs-or-files ]]; then _files; fi ;;
    file) _files ;;
    folder) _files -/ ;;
  esac
}

_biplane() {
  local place="" option="" word kind
  local -a rows
  integer i count=0
  for ((i = 2; i < CURRENT; i++)); do
    word="${"${words[i]}"}"
    if [[ -n "$option" ]]; then option=""; continue; fi
    case "$word" in
      --) return ;;
      --*=*) ;;
      -*) if [[ -n "$(_biplane_value "$place $word")" ]]; then option="$word"; fi ;;
      *)
        case " $(_biplane_below "$place") " in
          *" $word "*) place="${"${place:+$place }"}$word"; count=0 ;;
          *) (( count += 1 )) ;;
        esac ;;
    esac
  done
  word="${"${words[CURRENT]}"}"
  if [[ -n "$option" ]]; then
    _biplane_answer "$(_biplane_value "$place $option")"
    return
  fi
  case "$word" in
    --*=*) kind="$(_biplane_value "$place ${"${word%%=*}"}")"; compset -P '*='; _biplane_answer "$kind" ;;
    -*) _biplane_described_options "$place"; _describe -o option rows ;;
    *)
      if [[ -n "$(_biplane_below "$place")" ]]; then _biplane_described_below "$place"; _describe command rows
      else _biplane_answer "$(_biplane_word "$place $count")"; fi ;;
  esac
}

if [[ "$funcstack[1]" = "_biplane" ]]; then _biplane "$@"; else compdef _biplane biplane; fi
`;
