import type { ReactNode } from "react"

/** Named numbers in a row. */
export const Figures = ({
  items
}: {
  readonly items: ReadonlyArray<readonly [name: string, value: string]>
}): ReactNode => (
  <dl className="figures">
    {items.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)
