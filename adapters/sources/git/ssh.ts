import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import {
  type CrawlTarget,
  type ProviderConfig,
  type SourceFault,
  SourceRejected,
  SourceUnauthorized,
  SourceUnreachable,
  type SshAddress
} from "../../../core/connected/sources/index.js"
import { type AddressRules, guardedLookup } from "../../host/addresses.js"
import { addressRefusal } from "../http.js"

/**
 * The environment in which `git` reaches a server over SSH. The private key lies in a folder that only this user can
 * read and that goes with the scope. The name is resolved here, so that the connection goes to the checked address;
 * the server has to have one of the known keys.
 */
export const sshEnvironment = (
  rules: AddressRules,
  { host, port }: SshAddress,
  { config: { knownHosts = "", username = "git" }, credential }: CrawlTarget<ProviderConfig<"git">>
): Effect.Effect<Readonly<Record<string, string>>, SourceFault, Scope.Scope> =>
  Effect.gen(function* () {
    const address = yield* resolved(rules, host)
    const folder = yield* Effect.acquireRelease(
      Effect.tryPromise({ try: () => mkdtemp(join(tmpdir(), "kanon-ssh-")), catch: noFolder }),
      (made) => Effect.promise(() => rm(made, { recursive: true, force: true }))
    )
    const [key, hosts, settings] = [join(folder, "key"), join(folder, "known_hosts"), join(folder, "config")]
    const lines = {
      HostName: address,
      // Known keys are looked up by the name, not by the address that it has today.
      HostKeyAlias: port === 22 ? host : `[${host}]:${port}`,
      User: username,
      IdentityFile: `"${key}"`,
      IdentitiesOnly: "yes",
      IdentityAgent: "none",
      UserKnownHostsFile: `"${hosts}"`,
      GlobalKnownHostsFile: "/dev/null",
      StrictHostKeyChecking: "yes",
      CheckHostIP: "no",
      UpdateHostKeys: "no",
      BatchMode: "yes",
      PreferredAuthentications: "publickey",
      ClearAllForwardings: "yes",
      ForwardAgent: "no",
      ForwardX11: "no",
      ControlPath: "none",
      ConnectTimeout: "30",
      ServerAliveInterval: "15",
      LogLevel: "ERROR"
    }
    const files = [
      [key, credential === null ? "" : `${Redacted.value(credential).trimEnd()}\n`],
      [hosts, `${knownHosts.trimEnd()}\n`],
      [
        settings,
        Object.entries(lines)
          .map(([name, value]) => `${name} ${value}\n`)
          .join("")
      ]
    ] as const
    yield* Effect.tryPromise({
      try: async () => {
        for (const [path, text] of files) await writeFile(path, text, { mode: 0o600 })
      },
      catch: noFolder
    })
    const quoted = `'${settings.replaceAll("'", "'\\''")}'`
    return { GIT_SSH_COMMAND: `ssh -F ${quoted}`, GIT_SSH_VARIANT: "ssh" }
  })

const noFolder = () =>
  new SourceUnreachable({ message: "No folder could be made for the private key of the repository." })

/** The address of a host, if a connection may go there. */
const resolved = (rules: AddressRules, host: string): Effect.Effect<string, SourceFault> =>
  Effect.async((resume) => {
    const refused = new SourceRejected({ message: addressRefusal })
    guardedLookup(rules, () => refused)(host, {}, (error, address) => {
      if (error === null && typeof address === "string") resume(Effect.succeed(address))
      else if (error === refused) resume(Effect.fail(refused))
      else resume(Effect.fail(new SourceUnreachable({ message: `${host} cannot be found.` })))
    })
  })

/** The fault that a message of `ssh` tells; null where it tells none. */
export const sshFault = (text: string, host: string): SourceFault | null => {
  if (/cannot run ssh|ssh: (?:command )?not found/u.test(text))
    return new SourceRejected({ message: "The program ssh is not installed on this host." })
  if (/Host key verification failed|No .* host key is known/u.test(text))
    return new SourceRejected({
      message: `The key of ${host} is not one of \`knownHosts\`; nothing was sent to it.`
    })
  if (/Load key|error in libcrypto|invalid format/u.test(text))
    return new SourceUnauthorized({
      message: "The credential is not a private key that ssh can read without a passphrase."
    })
  return /Permission denied/u.test(text)
    ? new SourceUnauthorized({ message: `${host} does not accept the private key.` })
    : null
}
