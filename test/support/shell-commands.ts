import { fork } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { z } from "zod"

const Ran = z.object({ status: z.number().nullable(), stdout: z.string(), stderr: z.string() })

/** A process that runs the `kanon` of shell scripts. */
export interface ShellCommands {
  /** Shell lines that make `kanon` a function, which hands its command line to the process. */
  readonly define: string
  readonly close: () => Promise<void>
}

/** Variables that a shell sets by itself, and that would make each command line seem to have another environment. */
const ofShells = new Set(["PWD", "OLDPWD", "SHLVL", "_"])

/**
 * As `oneProcess`, for scripts: to start a process costs most of what their commands do. One that is to be killed or
 * reads its standard input has a process of its own, as has what is no plain call (`env kanon …`).
 *
 * @param folder The folder of the built command.
 */
export const shellCommands = async (folder: string): Promise<ShellCommands> => {
  const program = fileURLToPath(new URL("./one-process-main.mjs", import.meta.url))
  const child = fork(program, [folder, "shared"], {
    execArgv: [],
    stdio: ["ignore", "inherit", "inherit", "ipc"]
  })
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()))
  const answers = mkdtempSync(join(tmpdir(), "kanon-shell-"))
  // Answers come in the order of what was asked.
  const waiting: Array<(ran: z.infer<typeof Ran>) => void> = []
  child.on("message", (message) => waiting.shift()?.(Ran.parse(message)))
  void ended.then(() => {
    for (const tell of waiting.splice(0)) tell({ status: null, stdout: "", stderr: "The process is gone.\n" })
  })
  let asked = 0
  const server = createServer((socket) => {
    let heard = ""
    socket.setEncoding("utf8").on("data", (piece: string) => {
      heard += piece
      if (!heard.endsWith("\0=\0")) return
      const [cwd = "", count, ...rest] = heard.split("\0")
      const env = rest.slice(Number(count)).flatMap((one) => {
        const [name = "", ...value] = one.split("=")
        return name === "" || ofShells.has(name) ? [] : [[name, value.join("=")]]
      })
      waiting.push(({ status, stderr, stdout }) => {
        const answer = join(answers, String(asked++))
        writeFileSync(`${answer}.out`, stdout)
        writeFileSync(`${answer}.err`, stderr)
        socket.end(`${status ?? 255} ${answer}\n`)
      })
      child.send({ args: rest.slice(0, Number(count)), cwd, env: Object.fromEntries(env), input: "" })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return {
    define: `kanon() {
  local arg status answer
  # What stays is a process of its own, which in the background is the one that \`$!\` names.
  case "\${1-}" in serve | worker | console)
    [ "$BASHPID" = "$$" ] || exec kanon "$@"
    command kanon "$@"
    return
    ;;
  esac
  for arg in "$@"; do [ "$arg" != - ] || { command kanon "$@"; return; }; done
  [ /dev/stdin -ef /dev/null ] && [ -z "\${KANON_CRASH_AT-}" ] || { command kanon "$@"; return; }
  exec 9<>/dev/tcp/127.0.0.1/${port}
  { printf '%s\\0' "$PWD" "$#" "$@"; env -0; printf '=\\0'; } >&9
  read -r status answer <&9
  exec 9>&-
  cat "$answer.out"
  cat "$answer.err" >&2
  return "$status"
}
`,
    close: async () => {
      server.close()
      child.disconnect()
      await ended
      rmSync(answers, { recursive: true, force: true })
    }
  }
}
