import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { record } from "../../platform/audit/index.js"
import {
  atomically,
  Caller,
  Conflict,
  canonicalJson,
  Ids,
  InvalidInput,
  NotFound,
  now,
  traced
} from "../../platform/kernel/index.js"
import {
  type Agent,
  type AgentBehaviour,
  type AgentItem,
  type AgentPut,
  type AgentVersion,
  type AgentView,
  agentsModel,
  type BoundTool,
  RunStore,
  Toolbox,
  type ToolSpec
} from "../agent-runs/index.js"

/** The agent that every workspace has from the beginning. */
const defaultSlug = "researcher"

const defaultTools = [
  "svc_resolve_entity",
  "svc_search",
  "svc_get_chunk",
  "svc_get_document",
  "svc_get_entity",
  "svc_neighborhood"
]

/** The researcher as it is until somebody changes it: made of the workspace's id, and stored with its first run. */
const defaultAgent = Effect.gen(function* () {
  const [{ workspace }, ids, toolbox] = [yield* Caller, yield* Ids, yield* Toolbox]
  const { model } = yield* agentsModel(workspace)
  const known = yield* toolbox.list(workspace, defaultTools)
  const createdAt = "2026-01-01T00:00:00.000Z"
  const agent: Agent = {
    id: ids.derive("agent", `${workspace} ${defaultSlug}`),
    slug: defaultSlug,
    name: "Researcher",
    description: "Answers questions from the workspace, with citations. Reads, and changes nothing.",
    enabled: Option.isSome(model),
    archived: false,
    createdAt,
    updatedAt: createdAt
  }
  const version: AgentVersion = {
    id: ids.derive("agentVersion", `${workspace} ${defaultSlug}`),
    number: 1,
    createdAt,
    changedBy: "system",
    note: null,
    instructions:
      "Answer the user's question from the workspace. Resolve the entities that it names, search for passages, read the best of them, then answer in a few sentences, each with its citations.",
    modelRole: "chat",
    tools: known.map(boundTool()),
    budgets: {}
  }
  return { agent, version }
})

const boundTool =
  (approvals: ReadonlyMap<string, BoundTool["approval"] | undefined> = new Map()) =>
  ({ approval, effect, kind, name }: ToolSpec): BoundTool => ({
    name,
    kind,
    effect,
    approval: approvals.get(name) ?? approval
  })

/** An agent by slug or id, with its versions, the newest first; and whether it is stored yet. */
export const findAgent = (slugOrId: string) =>
  Effect.gen(function* () {
    const [store, { workspace }] = [(yield* RunStore).agents, yield* Caller]
    const found = yield* store.find(workspace, slugOrId)
    if (Option.isSome(found)) {
      const versions = yield* store.versions(workspace, found.value.id)
      const [latest] = versions
      if (latest !== undefined) return { agent: found.value, latest, versions, isStored: true }
    }
    const { agent, version } = yield* defaultAgent
    if (slugOrId === agent.slug || slugOrId === agent.id)
      return { agent, latest: version, versions: [version], isStored: false }
    return yield* new NotFound({ what: "agent" })
  })

/** Stores the default agent where it is not stored yet, in the caller's unit of work. */
export const storeDefault = ({
  agent,
  isStored,
  latest
}: Effect.Effect.Success<ReturnType<typeof findAgent>>) =>
  Effect.gen(function* () {
    const [store, { workspace }] = [(yield* RunStore).agents, yield* Caller]
    if (isStored || Option.isSome(yield* store.find(workspace, agent.id))) return
    yield* store.put(workspace, agent)
    yield* store.addVersion(workspace, agent.id, latest)
  })

const itemOf = (agent: Agent, latest: AgentVersion, lastRunAt: string | undefined): AgentItem => ({
  id: agent.id,
  slug: agent.slug,
  name: agent.name,
  description: agent.description,
  enabled: agent.enabled && !agent.archived,
  archived: agent.archived,
  latestVersion: { id: latest.id, number: latest.number, createdAt: latest.createdAt },
  lastRunAt: lastRunAt ?? null
})

/** Every agent that is not archived, by slug. */
export const listAgents = traced("agents.list")(function* (enabled: boolean | undefined) {
  const [store, runs, { workspace }] = [(yield* RunStore).agents, yield* RunStore, yield* Caller]
  const stored = yield* store.list(workspace)
  const lastRuns = yield* runs.lastRunAt(workspace)
  const items: Array<AgentItem> = []
  for (const agent of stored) {
    const [latest] = yield* store.versions(workspace, agent.id)
    if (latest !== undefined && !agent.archived) items.push(itemOf(agent, latest, lastRuns.get(agent.id)))
  }
  if (!stored.some(({ slug }) => slug === defaultSlug)) {
    const { agent, version } = yield* defaultAgent
    items.push(itemOf(agent, version, undefined))
  }
  const page = items
    .filter((item) => enabled === undefined || item.enabled === enabled)
    .sort((a, b) => (a.slug < b.slug ? -1 : 1))
  return { items: page, total: page.length }
})

export const getAgent = traced("agents.get")(function* (slugOrId: string) {
  const { agent, latest, versions } = yield* findAgent(slugOrId)
  const { workspace } = yield* Caller
  const lastRuns = yield* (yield* RunStore).lastRunAt(workspace)
  const { budgets, id, instructions, modelRole, number, tools } = latest
  return {
    agent: itemOf(agent, latest, lastRuns.get(agent.id)),
    version: { id, number, instructions, modelRole, tools: [...tools], budgets },
    versions: versions.map(({ changedBy, createdAt, id: versionId, note, number: nth }) => ({
      id: versionId,
      number: nth,
      createdAt,
      changedBy,
      note
    }))
  } satisfies AgentView
})

/**
 * Makes an agent, or replaces it wholly. What it does is kept in versions: a change of it appends one, a put of the same
 * changes nothing. Gives whether the agent is new.
 */
export const putAgent = traced("agents.put")(function* (put: AgentPut) {
  const [store, toolbox, ids, { actor, workspace }] = [
    (yield* RunStore).agents,
    yield* Toolbox,
    yield* Ids,
    yield* Caller
  ]
  const named = put.tools.map(({ name }) => name)
  const known = new Map((yield* toolbox.list(workspace, named)).map((spec) => [spec.name, spec]))
  const issues = put.tools.flatMap(({ name }, at) =>
    !known.has(name)
      ? [{ path: ["tools", at, "name"], code: "unknown_tool", message: `There is no tool ${name}.` }]
      : put.tools.findIndex((one) => one.name === name) < at
        ? [{ path: ["tools", at, "name"], code: "duplicate", message: `The tool ${name} is given twice.` }]
        : []
  )
  if (issues.length > 0) return yield* new InvalidInput({ issues })
  const approvals = new Map(put.tools.map(({ approval, name }) => [name, approval]))
  const behaviour: AgentBehaviour = {
    instructions: put.instructions,
    modelRole: put.modelRole,
    tools: put.tools.flatMap(({ name }) => {
      const spec = known.get(name)
      return spec === undefined ? [] : [boundTool(approvals)(spec)]
    }),
    budgets: put.budgets
  }
  const created = yield* atomically(
    Effect.gen(function* () {
      const at = yield* now
      const before = yield* findAgent(put.slug).pipe(Effect.catchTag("NotFound", () => Effect.succeed(null)))
      const number = before?.latest.number ?? 0
      if (put.expectVersion !== undefined && put.expectVersion !== number)
        return yield* new Conflict({
          message: `The latest version of the agent is ${number}, not ${put.expectVersion}.`
        })
      const agent: Agent = {
        id: before?.agent.id ?? ids.make("agent"),
        slug: put.slug,
        name: put.name,
        description: put.description,
        enabled: put.enabled,
        archived: put.archived,
        createdAt: before?.isStored === true ? before.agent.createdAt : at,
        updatedAt: at
      }
      const behavesAsBefore =
        before !== null && canonicalJson(behaviourOf(before.latest)) === canonicalJson(behaviour)
      const isSame =
        behavesAsBefore && canonicalJson({ ...before.agent, updatedAt: at }) === canonicalJson(agent)
      if (isSame) return false
      if (before !== null) yield* storeDefault(before)
      yield* store.put(workspace, agent)
      if (!behavesAsBefore)
        yield* store.addVersion(workspace, agent.id, {
          ...behaviour,
          id: ids.make("agentVersion"),
          number: number + 1,
          createdAt: at,
          changedBy: actor,
          note: put.note ?? null
        })
      yield* record([
        {
          action: before === null ? "agent.create" : "agent.update",
          subjectId: agent.id,
          details: { slug: put.slug, version: behavesAsBefore ? number : number + 1 }
        }
      ])
      return before === null
    })
  )
  return { created, view: yield* getAgent(put.slug) }
})

const behaviourOf = ({ budgets, instructions, modelRole, tools }: AgentVersion): AgentBehaviour => ({
  instructions,
  modelRole,
  tools,
  budgets
})
