import { isObject, type JsonSchema, refOf } from "./openapi-schemas.js"

type Components = Readonly<Record<string, JsonSchema>>

/** Example values by field name, used if the schema accepts them. */
const exampleValues: Readonly<Record<string, unknown>> = {
  action: "document.replace",
  activity: "api",
  actor: "key_01kjq3x8wefm5v2n7c4t9dbhga",
  agentSpendUsd: "12.5",
  aliases: ["Borealis project"],
  answer: "The Borealis launch moved to March [S1].",
  attribute: "date",
  bindings: [{ entityType: "artist", paramMap: { artist: "name" } }],
  calibrationVersion: "1",
  capUsd: "100",
  chat: "kanon-extractive-1",
  citations: ["S1"],
  confidence: 0.86,
  costUsd: 0,
  content: "# Borealis\n\nThe launch moved to March.\n",
  contentHash: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  description: "The programme that brings search to every team.",
  displayName: "Ada",
  docPath: "projects/borealis.md",
  docTitle: "Borealis",
  dstName: "Ada",
  editorialNote: "",
  evidence: "Ada leads Borealis.",
  graceSeconds: 3600,
  hash: "5f2b51ca2fdc5baa31ec02e002f69aec0c0d9a7c2a7a1b1f7c1e0c9a6f0a8d31",
  head: "5f2b51ca2fdc5baa31ec02e002f69aec0c0d9a7c2a7a1b1f7c1e0c9a6f0a8d31",
  headingPath: "Borealis > Launch",
  judge: "none",
  key: "svc_sk_…",
  kind: "retry",
  label: "projects/borealis.md",
  language: "en",
  matched: "Borealis",
  month: "2026-03",
  message: "What is wrong, in a sentence.",
  name: "Borealis",
  nameNorm: "borealis",
  note: "Two names of one programme.",
  // Without `default`: Spectral takes an object with it for a schema.
  params: [{ name: "artist", type: "string", description: "Name of the artist." }],
  path: "projects/borealis.md",
  pathPrefix: "projects/",
  prefix: "svc_sk_Q7",
  prevHash: "0d6a11f14ad4d1bc3a9c58b1f05d6ac26c1a8f0b6d3c7e9a5b4c2d1e0f9a8b7c",
  q: "Borealis launch",
  query: "Borealis launch",
  question: "When does Borealis launch?",
  quote: "The launch moved to March.",
  read: ["group:hr"],
  reasons: [],
  score: 0.87,
  snippet: "The launch moved to March.",
  sql: "select title from album where artist_name = :artist order by title",
  srcName: "Borealis",
  stewardIds: [],
  summary: "The programme that brings search to every team.",
  tag: "project",
  text: "The launch moved to March.",
  title: "Borealis",
  topRelations: ["led_by"],
  total: 1,
  type: "project"
}

/** Fields that are null in examples, because a value would be unusual. */
const nullByDefault = new Set(["duplicateOf", "error", "purgeAt", "replacedBy", "revokedAt", "supersededBy"])
/** Lists that are empty in examples, for the same reason. */
const emptyByDefault = new Set(["caveats", "conflicts", "dataCalls"])

/** Example bodies whose fields exclude or require each other, which a schema cannot express. */
const bodies: Readonly<Record<string, JsonSchema>> = {
  putQrels: {
    judgments: [
      {
        set: "launch",
        queryId: "q1",
        query: "When does Borealis launch?",
        docId: "doc_01kjq3x8wefm5v2n7c4t9dbhga",
        grade: 3
      },
      { set: "launch", queryId: "q2", query: "Who paid for Borealis?", expectAbstain: true }
    ]
  },
  createReport: { title: "Month", kind: "engagement" },
  startEval: { name: "baseline", suite: "retrieval", set: "launch" },
  createDocument: { title: "Borealis", content: exampleValues["content"], path: exampleValues["path"] },
  updateEntity: { name: "Project Borealis", aliases: ["Borealis"] },
  importSkos: {
    document: {
      "@context": { "@vocab": "http://www.w3.org/2004/02/skos/core#" },
      "@id": "https://example.org/radio",
      "@type": "Concept",
      prefLabel: { "@value": "Radio", "@language": "en" }
    },
    dryRun: true
  },
  mintKey: { name: "search page", scopes: ["kb:read"] },
  putDataQuery: {
    title: "Albums of an artist",
    connectorId: "con_01kjq3x8wefm5v2n7c4t9dbhga",
    sql: exampleValues["sql"],
    params: exampleValues["params"],
    bindings: exampleValues["bindings"]
  },
  runDataQuery: { params: { artist: "Audioslave" } },
  syncContentConnector: { mode: "incremental", dryRun: true },
  startJob: { kind: "reindex", subjectIds: ["doc_01kjq3x8wefm5v2n7c4t9dbhga"] }
}

/** Returns an example body: required `properties` and those with an example value. */
export const bodyExample = (
  operation: string,
  { properties, required }: { readonly properties: Components; readonly required: ReadonlyArray<string> },
  components: Components
): JsonSchema =>
  bodies[operation] ??
  Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => required.includes(name) || name in exampleValues)
      .map(([name, schema]) => [name, exampleOf(schema, components, name)])
  )

/** Returns a value that a schema accepts, preferably the example of the field's name. */
export const exampleOf = (schema: JsonSchema, components: Components, name = ""): unknown => {
  const component = refOf(schema)
  if (component !== undefined) return exampleOf(components[component] ?? {}, components, name)
  const { anyOf, enum: values, type } = schema
  if ("const" in schema) return schema["const"]
  if (Array.isArray(values)) return values[0]
  if (Array.isArray(anyOf)) {
    const choices = anyOf.filter(isObject)
    const isNullable = choices.some((choice) => choice["type"] === "null")
    if (isNullable && nullByDefault.has(name)) return null
    return exampleOf(choices[0] ?? {}, components, name)
  }
  switch (type) {
    case "object":
      return objectExample(schema, components)
    case "array":
      return arrayExample(schema, components, name)
    case "string":
      return stringExample(schema, name)
    case "integer":
    case "number":
      return numberExample(schema, name)
    case "boolean":
      return schema["default"] ?? (name === "deleted" || name === "restorable")
    default:
      return exampleValues[name] ?? null
  }
}

const objectExample = (schema: JsonSchema, components: Components): JsonSchema => {
  const { additionalProperties, properties } = schema
  if (isObject(properties))
    return Object.fromEntries(
      Object.entries(properties).map(([key, inner]) => [
        key,
        exampleOf(isObject(inner) ? inner : {}, components, key)
      ])
    )
  if (!isObject(additionalProperties)) return {}
  const names = isObject(schema["propertyNames"]) ? exampleOf(schema["propertyNames"], components) : "text"
  const key = typeof names === "string" && names !== "text" ? names : "project"
  return { [key]: exampleOf(additionalProperties, components) }
}

const arrayExample = (schema: JsonSchema, components: Components, name: string): unknown => {
  const { items, minItems } = schema
  const one = isObject(items) ? exampleOf(items, components) : undefined
  const known = exampleValues[name]
  if (Array.isArray(known) && isObject(known[0]) === isObject(one)) return known
  if (emptyByDefault.has(name)) return []
  return one === undefined
    ? []
    : Array.from({ length: typeof minItems === "number" ? minItems : 1 }, () => one)
}

const stringExample = ({ format, pattern }: JsonSchema, name: string): string => {
  if (format === "date-time")
    return name === "expiresAt" ? "2100-01-01T00:00:00.000Z" : "2026-03-02T09:30:00.000Z"
  if (format === "date") return "2026-03-02"
  if (format === "uri") return "https://models.example/v1"
  const id = typeof pattern === "string" ? /^\^([a-zA-Z]+)(_|\[)/.exec(pattern) : null
  if (id !== null) return id[2] === "_" ? `${id[1]}_01kjq3x8wefm5v2n7c4t9dbhga` : `${id[1]}1`
  const known = exampleValues[name]
  return typeof known === "string" || typeof known === "number" ? String(known) : "text"
}

const numberExample = (schema: JsonSchema, name: string): number => {
  const known = exampleValues[name]
  if (typeof known === "number") return known
  const { default: usual, maximum, minimum } = schema
  if (typeof usual === "number") return usual
  const least = typeof minimum === "number" ? Math.max(minimum, 1) : 1
  return typeof maximum === "number" ? Math.min(maximum, least) : least
}
