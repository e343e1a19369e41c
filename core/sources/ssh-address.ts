/** A repository on a server that is reached over SSH. */
export interface SshAddress {
  /** Null where the address names nobody. */
  readonly user: string | null
  /** A name or an IP address, without brackets. */
  readonly host: string
  readonly port: number
  readonly path: string
}

const long = /^ssh:\/\/(?:(\w[\w.-]*)@)?(\[[\da-f:.]+\]|[a-z\d][a-z\d.-]*)(?::(\d{1,5}))?(\/\S+)$/iu
const short = /^(\w[\w.-]*)@([a-z\d][a-z\d.-]*):(?!\/\/)([^\s:]\S*)$/iu

/** Reads `ssh://git@example.org:2222/team/notes.git` or `git@example.org:team/notes.git`; null for anything else. */
export const readSshAddress = (address: string): SshAddress | null => {
  const [whole, user, host = "", port = "22", path = ""] = long.exec(address) ?? []
  if (whole !== undefined)
    return { user: user ?? null, host: host.replace(/^\[|\]$/gu, ""), port: Number(port), path }
  const [, shortUser, shortHost, shortPath] = short.exec(address) ?? []
  return shortUser === undefined || shortHost === undefined || shortPath === undefined
    ? null
    : { user: shortUser, host: shortHost, port: 22, path: shortPath }
}
