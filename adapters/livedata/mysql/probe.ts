import type mysql from "mysql2"
import type { ConnectorProbe } from "../../../core/connected/livedata/index.js"
import { queryRows } from "./connection.js"

/** Privileges by which nothing can be changed. */
const readingPrivileges = new Set(["SELECT", "USAGE", "SHOW VIEW", "SHOW DATABASES"])

/** Returns whether the account is read-only, with the rights beyond reading that its grants state. */
export const probeGrants = async (connection: mysql.PoolConnection): Promise<ConnectorProbe> => {
  const [version] = await queryRows(connection, "select version()")
  const grants = (await queryRows(connection, "show grants")).map(([line]) => String(line))
  const reasons = [...new Set(grants.flatMap(reasonsOf))]
  return {
    ok: true,
    readOnlyProven: reasons.length === 0,
    serverVersion: version === undefined ? null : String(version[0]),
    message:
      reasons.length === 0
        ? null
        : `The account is not read-only: ${reasons.slice(0, 5).join("; ")}. Give the connector an account with SELECT alone.`
  }
}

/** `GRANT SELECT, INSERT ON db.* TO …`; a role is reported, since its own grants are not listed. */
const reasonsOf = (grant: string): ReadonlyArray<string> => {
  const [, privileges, subject] = /^GRANT (.+?) ON (.+?) TO /iu.exec(grant) ?? []
  if (privileges === undefined || subject === undefined)
    return /^GRANT /iu.test(grant) ? ["it has a role"] : []
  const names = privileges.replaceAll(/\([^)]*\)/gu, "").split(",")
  const others = names.map((name) => name.trim().toUpperCase()).filter((name) => !readingPrivileges.has(name))
  const passing = /WITH GRANT OPTION/iu.test(grant) ? ["it may pass on its rights"] : []
  return [...others.map((name) => `it has ${name} on ${subject}`), ...passing]
}
