/** A question whose subject must first be determined by another question. */
export interface Hop {
  /** "Who is the owner of Orlin?", for "the phone number of the owner of Orlin". */
  readonly first: string
  /** The role of the unknown thing: "owner", "team". */
  readonly role: string
  /** Returns the question with a name in place of the description. */
  readonly next: (name: string) => string
}

const roles =
  "owner|lead|leader|head|manager|maintainer|author|supervisor|director|chair|editor|contact|deputy|founder|treasurer|mayor|operator|supplier|vendor|manufacturer|provider"
const groups = "team|group|department|office|company|person|supplier|vendor|service|author|manager"
const thing = `(?!the (?:${roles}) (?:of|for) )[\\p{L}\\p{N}][^,;?.!]{0,60}?`
/** Verbs that continue the question after its subject. */
const verb =
  "(?= (?:is|are|was|were|has|have|had|does|do|did|can|sits?|works?|lives?|belongs?|earns?|costs?|uses?|built|made)\\b|\\s*[?.!]*$)"
const ofSomebody = new RegExp(`\\b(?:the |our )(${roles}) (?:of|for) (${thing})${verb}`, "iu")
const whoseDoing = new RegExp(
  `\\b(?:the |our )?(${groups}) (?:that|who|which) ((?:\\p{L}+s|is \\p{L}+|was \\p{L}+|\\p{L}+ed|built|made|wrote|led|ran) ${thing})${verb}`,
  "iu"
)
const possessive = new RegExp(
  `(\\p{Lu}[\\p{L}\\p{N}-]*(?: \\p{Lu}[\\p{L}\\p{N}-]*){0,3})['’]s (${roles})['’]s (${thing})${verb}`,
  "u"
)
/** "When did the author of ADR 12 *join*?" */
const doing = /\b(?:did|does|do|will|can)\s*$/iu
const lastWord = /^(.+) (\p{Ll}+)$/u
/** "The phone of the safety officer": a role that occurs once, without a name. */
const post =
  /\b(?:the |our )((?:[\p{L}-]+ ){0,3}?(officer|manager|head|mayor|director|leader|lead|owner|chair|treasurer|secretary|president|supervisor|coordinator|administrator|editor|curator))\s*[?.!]*$/iu
const onlyWho = /^(?:and |so )?(?:who|which|what)(?: is| was| are| were|['’]s)? *$/iu

/** Returns the question to answer first; null for a question that one statement may answer. Pure. */
export const hopOf = (text: string): Hop | null => {
  const owned = possessive.exec(text)
  if (owned !== null) {
    const [found, of, role, asked] = owned
    if (of !== undefined && role !== undefined && asked !== undefined)
      return hop(
        text,
        owned.index,
        found,
        role,
        `Who is the ${role} of ${of}?`,
        (name) => `the ${asked} of ${name}`
      )
  }
  const done = whoseDoing.exec(text)
  if (done !== null) {
    const [found, role, what] = done
    if (role !== undefined && what !== undefined)
      return hop(text, done.index, found, role, `Which ${role} ${what}?`, (name) => name)
  }
  const somebody = ofSomebody.exec(text)
  if (somebody === null) return ofPost(text)
  const [found, role, of] = somebody
  if (role === undefined || of === undefined) return null
  const [before, after] = [text.slice(0, somebody.index), text.slice(somebody.index + found.length)]
  if (!doing.test(before) || /\p{L}/u.test(after))
    return hop(text, somebody.index, found, role, `Who is the ${role} of ${of}?`, (name) => name)
  const [, subject, act] = lastWord.exec(of) ?? []
  if (subject === undefined || act === undefined) return null
  return hop(
    text,
    somebody.index,
    found.slice(0, -act.length - 1),
    role,
    `Who is the ${role} of ${subject}?`,
    (name) => name
  )
}

const ofPost = (text: string): Hop | null => {
  const [found, said, role] = post.exec(text) ?? []
  if (found === undefined || said === undefined || role === undefined) return null
  const at = text.length - found.length
  const isAttribute = /\b(?:of|for) $/iu.test(text.slice(0, at))
  return isAttribute ? hop(text, at, found, role, `Who is the ${said}?`, (name) => name) : null
}

const hop = (
  text: string,
  at: number,
  found: string,
  role: string,
  first: string,
  put: (name: string) => string
): Hop | null => {
  const [before, after] = [text.slice(0, at), text.slice(at + found.length)]
  // "Who is the owner of Orlin?" asks for the owner only.
  if (onlyWho.test(before) && /^[\s?.!]*$/u.test(after) && put("") === "") return null
  return { first, role: role.toLowerCase(), next: (name) => `${before}${put(name)}${after}` }
}
