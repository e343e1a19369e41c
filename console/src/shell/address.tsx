import { type ReactNode, useEffect } from "react"
import { Router, useLocation } from "wouter"
import type { Session } from "../../../server/console/model.js"
import { isIn } from "../api/connection.js"
import { useSessionState } from "../api/session.js"
import { Skeleton } from "../components/states.js"

type Workspace = Session["workspaces"][number]

const plainSlug = ({ name }: Pick<Workspace, "name">): string =>
  name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-|-$/g, "")

/** The name of a workspace in addresses; its id where the name is taken by another one or has no letters. */
const slugOf = (workspace: Workspace, all: ReadonlyArray<Workspace>): string => {
  const slug = plainSlug(workspace)
  const isTaken = all.some((other) => other.id !== workspace.id && plainSlug(other) === slug)
  return slug === "" || isTaken ? workspace.id : slug
}

/** The start of addresses in a workspace, within the base path: `/w/handbook`. */
export const workspacePath = (id: string, all: ReadonlyArray<Workspace>): string => {
  const workspace = all.find((one) => one.id === id)
  return workspace === undefined ? "" : `/w/${encodeURIComponent(slugOf(workspace, all))}`
}

const inWorkspace = /^\/w\/([^/]+)(\/.*)?$/

/** What an address names: a workspace that the session reaches, and the path there. */
const read = (path: string, workspaces: ReadonlyArray<Workspace>) => {
  const [, slug, rest] = inWorkspace.exec(path) ?? []
  if (slug === undefined) return { workspace: undefined, rest: path }
  const name = decodeURIComponent(slug)
  const workspace = workspaces.find((one) => one.id === name || slugOf(one, workspaces) === name)
  return { workspace, rest: rest ?? "/" }
}

/** Paths of the console whose last part is the id of a thing, with the address of that thing. */
const things: ReadonlyArray<readonly [RegExp, (id: string) => string]> = [
  [/^\/documents\/([\w-]+)/, (id) => `api/v1/documents/${id}`],
  [/^\/(?:entities|graph)\/([\w-]+)/, (id) => `api/v1/entities/${id}`],
  [/^\/requests\/([\w-]+)/, (id) => `api/v1/change-requests/${id}`],
  [/^\/decisions\/([\w-]+)/, (id) => `api/v1/policy/decisions/${id}`],
  [/^\/runs\/([\w-]+)/, (id) => `api/v1/runs/${id}`],
  [/^\/agents\/([\w-]+)/, (id) => `api/v1/agents/${id}`],
  [/^\/evals\/([\w-]+)/, (id) => `api/v1/evals/${id}`],
  [/^\/reports\/([\w-]+)/, (id) => `api/v1/reports/${id}`],
  [/^\/answers\/([\w-]+)/, (id) => `answers/${id}`],
  [/^\/c\/([^/]+)/, (id) => `conversations/${id}`]
]

/** Returns the workspace that holds what a path is about: the chosen one, or another one that the session reaches. */
const holderOf = async (
  path: string,
  chosen: string,
  workspaces: ReadonlyArray<Workspace>
): Promise<string> => {
  if (workspaces.length < 2) return chosen
  const thing = things.flatMap(([pattern, address]) => {
    const id = pattern.exec(path)?.[1]
    return id === undefined ? [] : [address(id)]
  })[0]
  if (thing === undefined) return chosen
  const others = workspaces.flatMap(({ id }) => (id === chosen ? [] : [id]))
  for (const id of [chosen, ...others]) if (await isIn(id, thing)) return id
  return chosen
}

/**
 * Puts the workspace into the address, and follows it. An address without one leads to the workspace that holds what it
 * names, so that a link works for everybody who may read it.
 */
export const InWorkspace = ({ children }: { readonly children: ReactNode }): ReactNode => {
  const [path, go] = useLocation()
  const { session, switchWorkspace, workspaceId } = useSessionState()
  const workspaces = session?.workspaces ?? []
  const { rest, workspace } = read(path, workspaces)
  const named = workspace?.id
  // biome-ignore lint/correctness/useExhaustiveDependencies: `workspaces` is made of `session`, which is in the list.
  useEffect(() => {
    if (named !== undefined) {
      if (named !== workspaceId) switchWorkspace(named)
      return
    }
    let isLeft = false
    void holderOf(rest, workspaceId, workspaces).then((id) => {
      if (isLeft) return
      go(workspacePath(id, workspaces) + (rest === "/" ? "/" : rest) + location.search + location.hash, {
        replace: true,
        state: history.state
      })
    })
    return () => {
      isLeft = true
    }
  }, [named, rest, workspaceId, session])
  if (named === undefined || named !== workspaceId) return <Skeleton />
  return <Router base={workspacePath(named, workspaces)}>{children}</Router>
}
