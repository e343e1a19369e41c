import type { NameType } from "./model.js"

/**
 * A relation and the words that state it, as alternatives separated by `|`; `~` stands for an optional adverb. The
 * names at its ends must be of these types as far as their types are known.
 */
export interface RelationRule {
  readonly type: string
  readonly from: ReadonlyArray<NameType>
  readonly to: ReadonlyArray<NameType>
  /** The type that an end without one gets. */
  readonly fromDefault?: NameType
  readonly toDefault?: NameType
  /** Finite verbs: FROM verb TO. */
  readonly verbs?: string
  /** Participles: TO is … by FROM. */
  readonly passive?: string
  /** Participles and places: FROM is … TO; also without "is". */
  readonly states?: string
  /** Nouns: FROM is the … of TO; TO's …, FROM. */
  readonly roles?: string
  /** Prepositions behind the nouns; "of" by default. */
  readonly of?: string
  /** Nouns of the other end: TO is the … of FROM; FROM's … is TO. */
  readonly inverse?: string
  /** Predicates of both ends: FROM and TO …. */
  readonly together?: string
  /** Whether a noun behind TO makes it another thing: what replaces "BLS keys" does not replace BLS. */
  readonly isWhole?: true
}

const group: ReadonlyArray<NameType> = ["organization", "product"]
const company: ReadonlyArray<NameType> = ["organization"]
const someone: ReadonlyArray<NameType> = ["person"]
const somewhere: ReadonlyArray<NameType> = ["place"]
const thing: ReadonlyArray<NameType> = ["organization", "product", "event", "place"]
const system: ReadonlyArray<NameType> = ["product", "organization"]

/** The relations that prose is read for. A row more is a relation more. */
export const relationRules: ReadonlyArray<RelationRule> = [
  {
    type: "works_for",
    from: someone,
    to: company,
    fromDefault: "person",
    toDefault: "organization",
    verbs: "work for|works for|worked for|work at|works at|worked at",
    states: "employed at|employed by|hired by",
    roles:
      "analyst|economist|engineer|spokesman|spokeswoman|spokesperson|lawyer|editor|professor|teacher|researcher|scientist|manager|officer|director|designer|developer|consultant|striker|goalkeeper|midfielder|reporter|correspondent|accountant|employee|adviser|advisor|representative|historian|curator|nurse|physicist|chemist|biologist|programmer|lead",
    of: "of|at|for|with"
  },
  {
    type: "leads",
    from: someone,
    to: ["organization", "product", "event"],
    fromDefault: "person",
    toDefault: "organization",
    verbs: "lead|leads|led|head|heads|headed|run|runs|ran|chairs|chaired|manages|managed",
    passive: "led|headed|run|chaired|managed",
    roles:
      "chief executive|chief executive officer|ceo|chief technology officer|cto|chief financial officer|cfo|chief operating officer|coo|chairman|chairwoman|chairperson|chair|president|head|managing director|director general|secretary general|general secretary|director|leader|boss|principal|general manager|founder and ceo|founder and chief executive",
    of: "of|at"
  },
  {
    type: "reports_to",
    from: someone,
    to: someone,
    fromDefault: "person",
    toDefault: "person",
    verbs: "report to|reports to|reported to",
    inverse: "manager|supervisor|line manager"
  },
  {
    type: "member_of",
    from: ["person", "organization", "place"],
    to: company,
    toDefault: "organization",
    states: "among the members of",
    roles: "member|fellow|founding member|member state"
  },
  {
    type: "founded",
    from: ["person", "organization"],
    to: ["organization", "place", "event"],
    toDefault: "organization",
    verbs: "founded|co-founded|cofounded|founds|established|set up",
    passive: "founded|co-founded|cofounded|established|set up",
    roles: "founder|co-founder|cofounder|founders|founder and chief executive|founder and ceo"
  },
  {
    type: "acquired",
    from: company,
    to: group,
    fromDefault: "organization",
    verbs: "acquired|acquires|bought|buys|purchased|took over|takes over|taken over",
    passive: "acquired|bought|purchased|taken over"
  },
  {
    type: "owns",
    from: ["organization", "person"],
    to: thing,
    verbs: "own|owns|owned",
    passive: "owned|wholly owned|majority-owned",
    roles: "owner|parent|parent company"
  },
  {
    type: "part_of",
    from: thing,
    to: thing,
    verbs: "belong to|belongs to|belonged to",
    states: "part of",
    roles: "subsidiary|unit|division|arm|branch|department"
  },
  {
    type: "located_in",
    from: thing,
    to: ["place", "organization"],
    toDefault: "place",
    verbs:
      "lie in|lies in|lay in|lies near|stands in|stand in|stood in|sits in|takes place in|took place in|take place in",
    states: "located in|situated in|located near|situated near|held in|kept in the",
    roles: "town|city|village|suburb|district|region",
    of: "in|of"
  },
  {
    type: "based_in",
    from: ["organization", "person"],
    to: somewhere,
    toDefault: "place",
    states: "based in|headquartered in|headquartered near|based near",
    inverse: "headquarters|head office|seat"
  },
  {
    type: "born_in",
    from: someone,
    to: somewhere,
    fromDefault: "person",
    toDefault: "place",
    states: "born in|born near"
  },
  {
    type: "supplies",
    from: company,
    to: company,
    fromDefault: "organization",
    toDefault: "organization",
    verbs: "supply|supplies|supplied|provides|delivers to|delivered to",
    roles: "supplier|suppliers|vendor",
    of: "of|to|for"
  },
  {
    type: "customer_of",
    from: company,
    to: company,
    fromDefault: "organization",
    toDefault: "organization",
    roles: "customer|client|customers|clients",
    inverse: "customers|clients|customer|client"
  },
  {
    type: "partner_of",
    from: company,
    to: company,
    fromDefault: "organization",
    toDefault: "organization",
    verbs: "partners with|partnered with|works with|cooperates with|collaborates with|teamed up with",
    roles: "partner|partners",
    together: "are partners|signed a partnership|formed a partnership|formed a joint venture|are allies"
  },
  {
    type: "uses",
    from: thing,
    to: system,
    toDefault: "product",
    verbs: "use|uses|used|runs on|run on|ran on",
    passive: "used",
    states: "built on|based on|built with|written in"
  },
  {
    type: "depends_on",
    from: system,
    to: system,
    verbs: "depend on|depends on|depended on|rely on|relies on|relied on|require|requires|required|needs",
    states: "dependent on"
  },
  {
    type: "replaces",
    from: ["person", "organization", "product"],
    to: ["person", "organization", "product"],
    verbs: "replace|replaces|replaced|supersedes|superseded|succeeds|succeeded",
    passive: "replaced|superseded|succeeded",
    roles: "successor",
    of: "of|to",
    isWhole: true
  },
  {
    type: "caused_by",
    from: ["event", "product", "organization"],
    to: ["event", "product", "organization", "person"],
    states: "caused by|triggered by|due to"
  },
  {
    type: "scheduled_for",
    from: ["event", "product", "organization"],
    to: ["event", "place"],
    states: "scheduled for|planned for|due at"
  }
]

/** Returns the forms of a rule's verbs that need a subject in the plural, or are commands: "use" beside "uses". */
export const bareVerbsOf = ({ verbs = "" }: RelationRule): ReadonlySet<string> => {
  const all = verbs.split("|")
  const firsts = new Set(all.map((verb) => verb.split(" ")[0]))
  return new Set(
    all.filter((verb) => {
      const [first = ""] = verb.split(" ")
      return (
        ["s", "es"].some((ending) => firsts.has(`${first}${ending}`)) ||
        firsts.has(`${first.slice(0, -1)}ies`)
      )
    })
  )
}

/** The types of relations between things; `related_to` stands for any other. */
export const relationTypes: ReadonlyArray<string> = [...relationRules.map(({ type }) => type), "related_to"]
