import type { UseQueryResult } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { strings } from "../strings.js"
import { ErrorNote } from "./error.js"

/** An empty list with the next step. */
export const EmptyState = ({
  title = strings.empty.title,
  children
}: {
  readonly title?: string
  /** One sentence, and the button or link of the next step. */
  readonly children?: ReactNode
}): ReactNode => (
  <div className="empty-state" data-testid="empty-state">
    <p className="empty-title">{title}</p>
    {children}
  </div>
)

/** Says that something loads, after a moment in which most things have loaded. */
export const Loading = ({ label = strings.loading }: { readonly label?: string }): ReactNode => (
  <p className="loading" role="status">
    {label}
  </p>
)

/** The place of a page or list that loads. */
export const Skeleton = (): ReactNode => (
  <div className="skeleton" role="status" data-testid="skeleton">
    <span className="visually-hidden">{strings.loading}</span>
    <span className="skeleton-title" aria-hidden="true" />
    <span aria-hidden="true" />
    <span aria-hidden="true" />
    <span aria-hidden="true" />
  </div>
)

/** Waits for a query, shows its error, or its result. */
export const Loaded = <Output,>({
  query,
  children
}: {
  readonly query: UseQueryResult<Output>
  readonly children: (output: Output) => ReactNode
}): ReactNode => {
  if (query.data !== undefined) return children(query.data)
  if (query.error !== null) return <ErrorNote error={query.error} onRetry={() => void query.refetch()} />
  return <Skeleton />
}
