import { shellQuote } from "../terminal/shell-quote.ts";
import { tables } from "./tables.ts";
import type { CompletionNames } from "./tables.ts";
import type { CompletionCommand } from "./command-tree.ts";

/** Completion for zsh, with descriptions. */
export function zshScript(commands: readonly CompletionCommand[], names: CompletionNames): string {
  return `#compdef biplane
# Completion for biplane. In ~/.zshrc, after compinit: source <(biplane completion zsh)
${tables(commands, names)}
${described("_biplane_described_subcommands", commands, ({ subCommands }) =>
  subCommands.map(({ name, description }) => [name, description]),
)}
${described("_biplane_described_options", commands, ({ options }) =>
  options.flatMap(({ flags, description }) => flags.map((flag) => [flag, description] as const)),
)}
${driver}`;
}

type Row = readonly [name: string, description: string];

/** A shell function that fills the array `rows` with `name:description`. */
function described(
  name: string,
  commands: readonly CompletionCommand[],
  rowsOf: (command: CompletionCommand) => readonly Row[],
): string {
  const cases = commands.flatMap((command) => {
    const rows = rowsOf(command).map(([each, description]) =>
      shellQuote(`${each.replaceAll(":", String.raw`\:`)}:${description}`),
    );
    return rows.length === 0 ? [] : [`    ${shellQuote(command.path)}) rows=(${rows.join(" ")}) ;;`];
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
    runs*) found=(${'${(f)"$(${words[1]} completion --names runs 2>/dev/null)"}'}); compadd -V runs -a found; if [[ "$kind" = runs-or-files ]]; then _files; fi ;;
    file) _files ;;
    folder) _files -/ ;;
  esac
}

_biplane() {
  local command="" option="" word kind
  local -a rows
  integer i count=0
  for ((i = 2; i < CURRENT; i++)); do
    word="${"${words[i]}"}"
    if [[ -n "$option" ]]; then option=""; continue; fi
    case "$word" in
      --) return ;;
      --*=*) ;;
      -*) if [[ -n "$(_biplane_value "$command $word")" ]]; then option="$word"; fi ;;
      *)
        case " $(_biplane_subcommands "$command") " in
          *" $word "*) command="${"${command:+$command }"}$word"; count=0 ;;
          *) (( count += 1 )) ;;
        esac ;;
    esac
  done
  word="${"${words[CURRENT]}"}"
  if [[ -n "$option" ]]; then
    _biplane_answer "$(_biplane_value "$command $option")"
    return
  fi
  case "$word" in
    --*=*) kind="$(_biplane_value "$command ${"${word%%=*}"}")"; compset -P '*='; _biplane_answer "$kind" ;;
    -*) _biplane_described_options "$command"; _describe -o option rows ;;
    *)
      if [[ -n "$(_biplane_subcommands "$command")" ]]; then _biplane_described_subcommands "$command"; _describe command rows
      else _biplane_answer "$(_biplane_argument "$command $count")"; fi ;;
  esac
}

if [[ "$funcstack[1]" = "_biplane" ]]; then _biplane "$@"; else compdef _biplane biplane; fi
`;
