import type { ListDataQueriesResult } from "../../../../server/client/index.js"

export type Param = ListDataQueriesResult["items"][number]["params"][number]

/** The typed value of what stands in a field; undefined for an empty one. The server checks the rest. */
export const paramValue = ({ type }: Pick<Param, "type">, given: string): unknown => {
  if (type.endsWith("[]")) {
    const lines = given.split("\n").flatMap((line) => line.trim() || [])
    return lines.length === 0 ? undefined : lines.map((line) => single(type.slice(0, -2), line))
  }
  return given.trim() === "" ? undefined : single(type, given)
}

const single = (type: string, given: string): unknown => {
  const plain = given.trim()
  if (type === "integer" || type === "number") return Number.isNaN(Number(plain)) ? plain : Number(plain)
  if (type === "boolean") return plain === "true" ? true : plain === "false" ? false : plain
  return type === "string" ? given : plain
}
