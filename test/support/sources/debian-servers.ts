import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import {
  appendFileSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { connect } from "node:net"
import { tmpdir, userInfo } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { freePort } from "../loopback.js"

const wikiFolder = "/usr/share/mediawiki"
const nobody = 65_534
const sshd = "/usr/sbin/sshd"

const isProgram = (name: string): boolean => spawnSync("which", [name]).status === 0

/** The servers of Debian packages that are installed here. */
export const debianServers = {
  mediawiki: existsSync(join(wikiFolder, "maintenance", "install.php")) && isProgram("php"),
  rclone: isProgram("rclone"),
  // It changes to another user.
  dovecot: isProgram("dovecot") && process.getuid?.() === 0,
  // It changes to another user, too.
  ssh: existsSync(sshd) && isProgram("ssh-keygen") && process.getuid?.() === 0
}

const folder = (name: string) =>
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), `kanon-${name}-`))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
  )

const answers = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, "127.0.0.1")
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false))
    socket.once("connect", () => socket.destroy())
  })

/** Starts a program and waits until it listens; it is ended with the scope. */
const listening = (port: number, program: string, args: ReadonlyArray<string>, env: NodeJS.ProcessEnv = {}) =>
  Effect.acquireRelease(
    Effect.promise(async (): Promise<ChildProcess> => {
      const child = spawn(program, args, { stdio: "ignore", env: { ...process.env, ...env } })
      for (let tries = 0; tries < 300 && !(await answers(port)); tries++)
        await new Promise((resolve) => setTimeout(resolve, 100))
      return child
    }),
    (child) =>
      Effect.promise(
        () =>
          new Promise<void>((resolve) => {
            if (child.exitCode !== null) return resolve()
            child.once("exit", () => resolve())
            child.kill()
          })
      )
  )

/** A MediaWiki on SQLite, served by PHP itself, that everybody may edit; gives its address. */
export const realMediaWiki = Effect.gen(function* () {
  const place = yield* folder("mediawiki")
  const port = yield* Effect.promise(freePort)
  const url = `http://127.0.0.1:${port}`
  const { status, stderr, stdout } = spawnSync(
    "php",
    [
      join(wikiFolder, "maintenance", "install.php"),
      ...["--dbtype", "sqlite", "--dbname", "wiki", "--dbpath", place, "--confpath", place],
      ...["--server", url, "--scriptpath", "", "--pass", "a-long-password", "Test wiki", "Admin"]
    ],
    { encoding: "utf8" }
  )
  if (status !== 0) throw new Error(`${stdout}${stderr}`)
  const settings = join(place, "LocalSettings.php")
  appendFileSync(
    settings,
    [
      "",
      "foreach (['edit', 'createpage', 'move', 'delete'] as $right) $wgGroupPermissions['*'][$right] = true;",
      "$wgRateLimits = [];",
      "$wgCacheDirectory = false;"
    ].join("\n")
  )
  yield* listening(port, "php", ["-S", `127.0.0.1:${port}`, "-t", wikiFolder], {
    MW_CONFIG_FILE: settings,
    PHP_CLI_SERVER_WORKERS: "2"
  })
  const call = async (parameters: Readonly<Record<string, string>>): Promise<void> => {
    const body = new URLSearchParams({ format: "json", formatversion: "2", token: "+\\", ...parameters })
    const reply = await (await fetch(`${url}/api.php`, { method: "POST", body })).text()
    if (reply.includes('"error"')) throw new Error(reply)
  }
  yield* Effect.promise(() => call({ action: "delete", title: "Main Page" }))
  return { url, call }
})

/** A WebDAV server of rclone over a folder. */
export const realWebDav = (username: string, password: string) =>
  Effect.gen(function* () {
    const place = yield* folder("rclone")
    const port = yield* Effect.promise(freePort)
    yield* listening(port, "rclone", [
      "serve",
      "webdav",
      place,
      ...["--addr", `127.0.0.1:${port}`, "--user", username, "--pass", password, "--dir-cache-time", "0s"]
    ])
    return { folder: place, url: `http://127.0.0.1:${port}` }
  })

/** Dovecot with one account, in which all names have the same password. */
export const realMail = (password: string) =>
  Effect.gen(function* () {
    const place = yield* folder("dovecot")
    const port = yield* Effect.promise(freePort)
    const home = join(place, "home")
    mkdirSync(home)
    chownSync(home, nobody, nobody)
    chownSync(place, nobody, nobody)
    const config = join(place, "dovecot.conf")
    writeFileSync(
      config,
      `protocols = imap
listen = 127.0.0.1
base_dir = ${place}/run
state_dir = ${place}/state
log_path = ${place}/log
ssl = no
disable_plaintext_auth = no
mail_location = maildir:${home}/mail
passdb {
  driver = static
  args = password=${password}
}
userdb {
  driver = static
  args = uid=${nobody} gid=${nobody} home=${home}
}
service imap-login {
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = 0
  }
}
service anvil {
  chroot =
}
`
    )
    yield* listening(port, "dovecot", ["-F", "-c", config])
    return `imap://127.0.0.1:${port}`
  })

/** OpenSSH on loopback, which admits this user with one key; gives its port, its own key and that one. */
export const realSsh = Effect.gen(function* () {
  const place = yield* folder("sshd")
  const port = yield* Effect.promise(freePort)
  const key = (name: string) => {
    const path = join(place, name)
    spawnSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", path])
    return { path, secret: readFileSync(path, "utf8"), shown: readFileSync(`${path}.pub`, "utf8").trim() }
  }
  const [host, user, stranger] = [key("host"), key("user"), key("stranger")]
  const admitted = join(place, "authorized_keys")
  writeFileSync(admitted, `${user.shown}\n`)
  mkdirSync("/run/sshd", { recursive: true })
  const options = {
    ListenAddress: "127.0.0.1",
    HostKey: host.path,
    PidFile: "none",
    AuthorizedKeysFile: admitted,
    StrictModes: "no",
    UsePAM: "no",
    PermitRootLogin: "prohibit-password"
  }
  const args = Object.entries(options).flatMap(([name, value]) => ["-o", `${name}=${value}`])
  yield* listening(port, sshd, ["-D", "-e", "-f", "/dev/null", "-p", String(port), ...args])
  return {
    user: userInfo().username,
    port,
    knownHosts: `[127.0.0.1]:${port} ${host.shown}`,
    privateKey: user.secret,
    strangeKey: stranger.secret,
    strangeHost: `[127.0.0.1]:${port} ${stranger.shown}`
  }
})
