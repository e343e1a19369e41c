import { useOperation } from "../../api/hooks.js"

/** Names of the sets that judgments and runs name. */
export const useSets = (): ReadonlyArray<string> => {
  const judgments = useOperation("listQrels", { limit: 200 })
  const runs = useOperation("listEvals", { limit: 200 })
  return [
    ...new Set([
      ...(judgments.data?.items ?? []).map(({ set }) => set),
      ...(runs.data?.items ?? []).map(({ set }) => set)
    ])
  ].sort()
}
