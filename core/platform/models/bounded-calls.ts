import { brokenValueBound, foreignJsonBounds } from "../kernel/index.js"
import type { RequestedCall } from "./store.js"

/** Calls of one reply at most, which is the most that an agent may allow. */
export const repliedCallsMax = 256
/** Characters of the arguments of one call, and of all calls of a reply. */
const argumentsMaxChars = 262_144
const replyMaxChars = 1_048_576
const nameMaxChars = 200

/**
 * Returns the calls of a reply as they can be stored: bounded in number, size and depth, with ids that are distinct and
 * not empty. Absent arguments are none. A call whose arguments are too large loses them and says why.
 */
export const boundedCalls = (given: ReadonlyArray<RequestedCall>): ReadonlyArray<RequestedCall> => {
  const ids = new Set<string>()
  let left = replyMaxChars
  return given.slice(0, repliedCallsMax).map((call, at) => {
    const wanted = call.id.slice(0, nameMaxChars)
    const id = wanted === "" || ids.has(wanted) ? `call_${at}_${ids.size}` : wanted
    ids.add(id)
    const name = call.name.slice(0, nameMaxChars)
    const characters = Math.min(argumentsMaxChars, left)
    const problem = call.problem ?? argumentsProblem(call.arguments, characters)
    if (problem !== null) return { id, name, arguments: {}, problem }
    left -= JSON.stringify(call.arguments ?? {}).length
    return { id, name, arguments: call.arguments ?? {} }
  })
}

const argumentsProblem = (given: unknown, characters: number): string | null => {
  const broken = brokenValueBound(given, { ...foreignJsonBounds, characters: Math.max(0, characters) })
  if (broken === null) return null
  return broken === "depth"
    ? `The arguments are nested more than ${foreignJsonBounds.depth} deep.`
    : broken === "values"
      ? `The arguments hold more than ${foreignJsonBounds.values} values.`
      : `The arguments of the reply have more than ${characters} characters.`
}
