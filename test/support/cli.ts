import { spawn, spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import Database from "better-sqlite3"
import { inject } from "vitest"
import { oneProcess } from "./one-process.js"
import { testDatabase } from "./runs.js"
import { root } from "./tree.js"

/** The built command. */
export const command = join(root, "dist", "bin", "kanon.js")

/** Result of running the command. */
export interface Ran {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
}

/** A run that waits may be given its standard input. */
export interface FedOptions extends RunOptions {
  readonly input?: string
}

/** The environment of a user who has set nothing. */
export const plainEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(KANON_|VITEST|NODE_ENV|NODE_OPTIONS|NO_COLOR|FORCE_COLOR|COLUMNS|CI$)/.test(name)
    )
  )

/** Databases of this file's tests, each with the data folder that it stands for, whatever that is called meanwhile. */
const databases: Array<{ readonly url: string; readonly data: string; mark?: string | undefined }> = []
const folders: Array<string> = []

/** Removes what the tests of a file have left. Files share this module: its setup calls it after each of them. */
export const removeLeft = (): void => {
  for (const { url } of databases.splice(0))
    onServer(`drop database ${new URL(url).pathname.slice(1)} with (force)`)
  for (const made of folders.splice(0)) rmSync(made, { recursive: true, force: true })
}

/** Returns an identity of a folder that survives renaming; undefined when the folder is missing. */
const markOf = (path: string): string | undefined => {
  if (!existsSync(path)) return undefined
  const { birthtimeMs, ino } = statSync(path)
  return `${ino}:${birthtimeMs}`
}

const markFolders = (): void => {
  for (const known of databases) known.mark ??= markOf(known.data)
}

/** Another program sends it: commands are waited for, and what is waited for cannot wait for a database. */
const onServer = (statement: string, url: string = inject("postgresUrl")): void => {
  const program = `import pg from "pg"
    const client = new pg.Client(process.argv[1])
    await client.connect()
    await client.query(process.argv[2])
    await client.end()`
  const args = ["--input-type=module", "--eval", program, url, statement]
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" })
  if (status !== 0) throw new Error(stderr)
}

/** Makes a database with the newest schema; gives its URL. */
const makeMigrated = (): string => {
  const name = `kanon_${crypto.randomUUID().replaceAll("-", "")}`
  onServer(`create database ${name} template ${inject("postgresTemplate")} strategy file_copy`)
  const url = new URL(inject("postgresUrl"))
  url.pathname = `/${name}`
  return url.href
}

/**
 * Returns the environment that names the database of a command's data folder; empty when the folder is the database.
 */
const databaseFor = (args: ReadonlyArray<string>, cwd: string, env: Readonly<Record<string, string>>) => {
  if (testDatabase === "sqlite" || "KANON_DATABASE_URL" in env) return {}
  return { KANON_DATABASE_URL: databaseOf(dataFolder(args, cwd, env)) }
}

const databaseOf = (data: string): string => {
  markFolders()
  const mark = markOf(data)
  const known = databases.find((one) =>
    mark === undefined || one.mark === undefined ? one.data === data : one.mark === mark
  )
  if (known !== undefined) return known.url
  const url = makeMigrated()
  databases.push({ url, data })
  return url
}

/** Returns the data folder of a command, from its options, its environment and the folders above. */
const dataFolder = (args: ReadonlyArray<string>, cwd: string, env: Readonly<Record<string, string>>) => {
  const told = (name: string) => {
    const place = args.findIndex((arg) => arg === `--${name}` || arg.startsWith(`--${name}=`))
    return args[place]?.split("=")[1] ?? args[place + 1 || args.length]
  }
  const data = told("data") ?? (env["KANON_DATA"] || undefined)
  // The option of `workspaces create` names new files, not the present vault.
  const vault = args[0] === "workspaces" && args[1] === "create" ? undefined : told("vault")
  if (data !== undefined) return resolve(cwd, data)
  if (vault !== undefined) return resolve(cwd, vault, ".kanon")
  let folder = resolve(cwd)
  while (!existsSync(join(folder, ".kanon", "workspace.json")) && folder !== dirname(folder))
    folder = dirname(folder)
  return join(folder === dirname(folder) ? resolve(cwd) : folder, ".kanon")
}

/**
 * Changes the data behind the back of every command.
 *
 * @param data The data folder of the workspace.
 */
export const harm = (data: string, statements: string): void => {
  if (testDatabase === "postgres") onServer(statements, databaseOf(data))
  else {
    const database = new Database(join(data, "kanon.sqlite"))
    database.exec(statements)
    database.close()
  }
}

/** Ends with the worker of these tests: it notices that nobody can ask it any more. */
const shared = oneProcess(command)

/** Runs `kanon` and waits for its end, in a process that runs the command lines of all files one after another. */
export const kanon = (
  args: ReadonlyArray<string>,
  { cwd = root, env = {}, input = "" }: FedOptions = {}
): Ran => {
  const all = { ...plainEnvironment(), ...databaseFor(args, cwd, env), ...env }
  const ran = shared.run({ args, cwd, env: all, input }, timeoutMs)
  markFolders()
  return ran
}

/** The same in a process of its own, for tests of what a process is. */
export const kanonAlone = (args: ReadonlyArray<string>, { cwd = root, env = {} }: RunOptions = {}): Ran => {
  const { status, stderr, stdout } = spawnSync(process.execPath, [command, ...args], {
    cwd,
    env: { ...plainEnvironment(), ...databaseFor(args, cwd, env), ...env },
    encoding: "utf8",
    maxBuffer: 256 * 1024 * 1024,
    timeout: timeoutMs
  })
  markFolders()
  return { status, stdout, stderr }
}

/** Only what hangs is to be ended, however busy the machine. */
const timeoutMs = 200_000

/** Runs a shell line in which `kanon` is the built command, with one data folder for all of the line. */
export const shell = (line: string, { cwd = root, env = {} }: RunOptions = {}): Ran => {
  const define = `kanon() { ${JSON.stringify(process.execPath)} ${JSON.stringify(command)} "$@"; }`
  const { status, stderr, stdout } = spawnSync("bash", ["-c", `${define}\n${line}`], {
    cwd,
    env: {
      ...plainEnvironment(),
      ...(/\bkanon\b/.test(line) ? databaseFor(line.split(" "), cwd, env) : {}),
      ...env
    },
    encoding: "utf8",
    maxBuffer: 256 * 1024 * 1024,
    timeout: timeoutMs
  })
  return { status, stdout, stderr }
}

/** Starts `kanon`; `ended` resolves with what it left, `firstLine` with what it prints first. */
export const start = (args: ReadonlyArray<string>, { cwd = root, env = {} }: RunOptions = {}) => {
  const child = spawn(process.execPath, [command, ...args], {
    cwd,
    env: { ...plainEnvironment(), ...databaseFor(args, cwd, env), ...env },
    stdio: ["ignore", "pipe", "pipe"]
  })
  const said = { stdout: "", stderr: "" }
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said.stdout += text
  })
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said.stderr += text
  })
  const ended = new Promise<Ran>((resolve) => child.once("close", (status) => resolve({ status, ...said })))
  const firstLine = new Promise<string>((resolve, reject) => {
    child.stdout.on("data", () => {
      const [line, rest] = said.stdout.split("\n", 2)
      if (line !== undefined && rest !== undefined) resolve(line)
    })
    void ended.then(({ stderr }) => reject(new Error(stderr)))
  })
  // Not everybody waits for it.
  firstLine.catch(() => undefined)
  return { ended, firstLine, said: () => ({ ...said }), signal: (name: NodeJS.Signals) => child.kill(name) }
}

/** A folder of its own for a test, by its real path; gone when the file's tests are done. */
export const folder = (): string => {
  const made = realpathSync(mkdtempSync(join(tmpdir(), "kanon-cli-")))
  folders.push(made)
  return made
}

/** Writes files below a folder. */
export const write = (folderPath: string, files: Readonly<Record<string, string>>): void => {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folderPath, path)), { recursive: true })
    writeFileSync(join(folderPath, path), text)
  }
}

/** A folder with these files. */
export const vault = (files: Readonly<Record<string, string>>): string => {
  const made = folder()
  write(made, files)
  return made
}
