import type mysql from "mysql2"
import type { ConnectorProbe } from "../../../core/connected/livedata/index.js"
import { queryRows } from "./connection.js"

/** Privileges by which nothing can be changed. */
const readingPrivileges = new Set(["SELECT", "USAGE", "SHOW VIEW", "SHOW DATABASES"])

/** Roles that are followed at most, each of which may have others. */
const rolesMax = 50

/** Returns whether the account is read-only, with the rights beyond reading that its grants and its roles state. */
export const probeGrants = async (connection: mysql.PoolConnection): Promise<ConnectorProbe> => {
  const [version] = await queryRows(connection, "select version()")
  const reasons = [...new Set((await grantsOf(connection)).flatMap(reasonsOf))]
  const advice = reasons.every((reason) => reason.startsWith(everyAccount))
    ? "Revoke from PUBLIC what changes something."
    : "Give the connector an account with SELECT alone."
  return {
    ok: true,
    readOnlyProven: reasons.length === 0,
    serverVersion: version === undefined ? null : String(version[0]),
    message:
      reasons.length === 0
        ? null
        : `The account is not read-only: ${reasons.slice(0, 5).join("; ")}. ${advice}`
  }
}

/**
 * The grants of the account and of each role that it has, active or not, since it may switch to any of them. MariaDB
 * lists those of active roles, so each is made active once; MySQL lists those of a role with USING. A role whose grants
 * cannot be listed stays a line of its own.
 */
const grantsOf = async (connection: mysql.PoolConnection): Promise<ReadonlyArray<string>> => {
  const shown = async (of: string) =>
    (await queryRows(connection, `show grants${of}`)).map(([line]) => String(line))
  const asRole = async (role: string) => {
    const [before] = await queryRows(connection, "select current_role()")
    await queryRows(connection, `set role ${role}`)
    try {
      return await shown("")
    } finally {
      const previous = before?.[0]
      await queryRows(
        connection,
        typeof previous === "string" ? `set role \`${previous.replaceAll("`", "``")}\`` : "set role none"
      )
    }
  }
  const grants = await shown("")
  const unlisted: Array<string> = []
  const roles = new Set(grants.flatMap(rolesIn))
  // A set hands out what is added while it is read.
  for (const role of roles) {
    if (grants.some((line) => !isOfRole(line) && line.endsWith(` TO ${role}`))) continue
    const own =
      roles.size > rolesMax
        ? null
        : await shown(` for current_user() using ${role}`)
            .catch(() => asRole(role))
            .catch(() => null)
    if (own === null) unlisted.push(`GRANT ${role}`)
    else grants.push(...own)
    for (const other of (own ?? []).flatMap(rolesIn)) roles.add(other)
  }
  return [...grants.filter((line) => !isOfRole(line) || /WITH ADMIN OPTION/iu.test(line)), ...unlisted]
}

const isOfRole = (grant: string): boolean => /^GRANT /iu.test(grant) && !/ ON .+ TO /iu.test(grant)

/** The roles that a line grants, quoted as the server quotes them: "GRANT `reader`@`%` TO `kanon`@`%`". */
const rolesIn = (grant: string): ReadonlyArray<string> =>
  isOfRole(grant)
    ? ((/^GRANT (.+) TO /iu.exec(grant)?.[1] ?? "").match(/`(?:[^`]|``)*`(?:@`(?:[^`]|``)*`)?/gu) ?? [])
    : []

/** How a right is introduced that every account has. */
const everyAccount = "every account (PUBLIC)"

/** Reads `GRANT SELECT, INSERT ON db.* TO …`. */
const reasonsOf = (grant: string): ReadonlyArray<string> => {
  const [, privileges, subject, holder = ""] = /^GRANT (.+?) ON (.+?) TO (.+)$/iu.exec(grant) ?? []
  if (privileges === undefined || subject === undefined)
    return !/^GRANT /iu.test(grant)
      ? []
      : [
          /WITH ADMIN OPTION/iu.test(grant)
            ? "it may pass on a role"
            : `it has the role ${grant.slice("GRANT ".length)}, whose grants it cannot list`
        ]
  const who = /^`?PUBLIC`?(?: |$)/iu.test(holder) ? everyAccount : "it"
  const names = privileges.replaceAll(/\([^)]*\)/gu, "").split(",")
  const others = names.map((name) => name.trim().toUpperCase()).filter((name) => !readingPrivileges.has(name))
  const passing = /WITH GRANT OPTION/iu.test(grant) ? [`${who} may pass on its rights`] : []
  return [...others.map((name) => `${who} has ${name} on ${subject}`), ...passing]
}
