import type { ReactNode } from "react"
import { Button } from "../../components/button.js"
import { graphText as text } from "../../strings/graph.js"
import { strings } from "../../strings.js"
import { countsOf, type Graph, type GraphFilter, noFilter } from "./model.js"

/** Filters the graph by type, relation and authority. An empty choice shows everything. */
export const GraphFilters = ({
  colors,
  filter,
  graph,
  onChange,
  strokes
}: {
  readonly graph: Graph
  /** Types in the order of their colours. */
  readonly colors: ReadonlyArray<string>
  /** Relations in the order of their strokes. */
  readonly strokes: ReadonlyArray<string>
  readonly filter: GraphFilter
  readonly onChange: (filter: GraphFilter) => void
}): ReactNode => {
  const nodes = [...graph.nodes.values()]
  const types = countsOf(nodes.map(({ type }) => type))
  return (
    <section className="panel stack tight">
      <h2>{text.filters}</h2>
      <Checks
        legend={text.types}
        counts={types}
        chosen={filter.types}
        onChange={(chosen) => onChange({ ...filter, types: chosen })}
        mark={(type) => (
          <span className={`type-dot type-${Math.min(colors.indexOf(type), 8) + 1}`} aria-hidden="true" />
        )}
      />
      <Checks
        legend={text.relations}
        counts={countsOf(graph.edges.map(({ type }) => type))}
        chosen={filter.relations}
        mark={(type) => (
          <span className={`edge-mark edge-${Math.min(strokes.indexOf(type), 3) + 1}`} aria-hidden="true" />
        )}
        onChange={(chosen) => onChange({ ...filter, relations: chosen })}
      />
      <Checks
        legend={text.authority}
        counts={countsOf(nodes.map(({ authority }) => authority))}
        chosen={filter.authorities}
        nameOf={(value) => strings.authority[value as keyof typeof strings.authority] ?? value}
        onChange={(chosen) => onChange({ ...filter, authorities: chosen })}
      />
      {filter !== noFilter && (
        <Button size="small" onClick={() => onChange(noFilter)}>
          {text.clearFilter}
        </Button>
      )}
    </section>
  )
}

const shownMax = 12

const Checks = ({
  chosen,
  counts,
  legend,
  mark,
  nameOf = (value) => value,
  onChange
}: {
  readonly legend: string
  readonly counts: ReadonlyArray<readonly [string, number]>
  readonly chosen: ReadonlySet<string>
  readonly onChange: (chosen: ReadonlySet<string>) => void
  readonly mark?: (value: string) => ReactNode
  readonly nameOf?: (value: string) => string
}): ReactNode => (
  <fieldset className="checks">
    <legend>{legend}</legend>
    {counts.slice(0, shownMax).map(([value, count]) => (
      <label key={value} className="check">
        <input
          type="checkbox"
          checked={chosen.has(value)}
          onChange={() => {
            const next = new Set(chosen)
            if (!next.delete(value)) next.add(value)
            onChange(next)
          }}
        />
        {mark?.(value)}
        <span dir="auto">{nameOf(value)}</span>
        <span className="muted small">{count}</span>
      </label>
    ))}
    {counts.length > shownMax && <p className="muted small">{text.more(counts.length - shownMax)}</p>}
  </fieldset>
)
