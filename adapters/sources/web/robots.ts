/** The rules of a site for robots, as RFC 9309 reads them. */
import { normalEncoding } from "./addresses.js"

/** What a `robots.txt` says to this program. */
export interface RobotRules {
  readonly allows: (address: string) => boolean
  /** Seconds between two requests that the site asks for, bounded; null where it asks for none. */
  readonly delay: number | null
  readonly sitemaps: ReadonlyArray<string>
  /** The rules as text: changes when they do. */
  readonly key: string
}

const robot = "kanon"
/** RFC 9309 asks for 500 KiB at least. */
const textMax = 512 * 1024
const rulesMax = 10_000
/** A site may ask for long pauses; a crawl that obeyed them all would not end. */
const delayMax = 10
const sitemapsMax = 50

interface Rule {
  readonly isAllowed: boolean
  readonly pattern: string
}
interface Group {
  readonly agents: Array<string>
  readonly rules: Array<Rule>
  delay: number | null
}

/** Reads a `robots.txt`. The groups for `kanon` hold, else those for all. */
export const readRobots = (text: string): RobotRules => {
  const groups: Array<Group> = []
  const sitemaps: Array<string> = []
  let [group, namesAgents, count]: [Group | null, boolean, number] = [null, false, 0]
  for (const line of text
    .slice(0, textMax)
    .replace(/^\ufeff/, "")
    .split(/\r\n|\r|\n/)) {
    const [, key = "", value = ""] = /^\s*([a-z-]+)\s*:\s*([^#]*)/i.exec(line) ?? []
    const [name, content] = [key.toLowerCase(), value.trim()]
    if (name === "sitemap" && sitemaps.length < sitemapsMax) sitemaps.push(content)
    if (name === "user-agent") {
      if (group === null || !namesAgents) {
        group = { agents: [], rules: [], delay: null }
        groups.push(group)
      }
      group.agents.push((/^(?:\*|[a-z_-]+)/i.exec(content)?.[0] ?? "").toLowerCase())
      namesAgents = true
    } else if (name === "allow" || name === "disallow" || name === "crawl-delay") {
      namesAgents = false
      if (group === null || ++count > rulesMax) continue
      if (name === "crawl-delay") group.delay = Number(content) > 0 ? Number(content) : null
      else if (content !== "")
        group.rules.push({ isAllowed: name === "allow", pattern: normalEncoding(content) })
    }
  }
  const own = groups.filter(({ agents }) => agents.includes(robot))
  const valid = own.length > 0 ? own : groups.filter(({ agents }) => agents.includes("*"))
  const rules = valid.flatMap((one) => one.rules)
  const delay = valid.reduce<number | null>((longest, one) => one.delay ?? longest, null)
  return {
    allows: (address) => {
      const { pathname, search } = new URL(address)
      const path = normalEncoding(pathname + search)
      let [longest, isAllowed] = [-1, true]
      for (const rule of rules) {
        const { length } = rule.pattern
        if (length < longest || (length === longest && isAllowed) || !matches(rule.pattern, path)) continue
        ;[longest, isAllowed] = [length, rule.isAllowed]
      }
      return isAllowed || path === "/robots.txt"
    },
    delay: delay === null ? null : Math.min(delay, delayMax),
    sitemaps,
    key: JSON.stringify(rules)
  }
}

/** Whether a path begins as a pattern says; `*` stands for any signs, `$` at its end for the end of the path. */
const matches = (pattern: string, path: string): boolean => {
  const isWhole = pattern.endsWith("$")
  const [first = "", ...parts] = (isWhole ? pattern.slice(0, -1) : pattern).split("*")
  if (!path.startsWith(first)) return false
  let at = first.length
  for (const [place, part] of parts.entries()) {
    if (isWhole && place === parts.length - 1) return path.length - part.length >= at && path.endsWith(part)
    const found = path.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return !isWhole || at === path.length
}
