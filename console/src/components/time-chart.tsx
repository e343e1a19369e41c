import { type ReactNode, useEffect, useRef } from "react"
import uPlot from "uplot"
import "uplot/dist/uPlot.min.css"

export interface ChartSeries {
  readonly label: string
  /** Name of a custom property, such as `--good`. */
  readonly color: string
  /** One value a day. */
  readonly values: ReadonlyArray<number>
}

/** Stacked bars by day. The same numbers stand in a table below, for those who cannot see a chart. */
export const TimeChart = ({
  days,
  label,
  series,
  table
}: {
  readonly label: string
  /** Days in UTC, such as 2026-01-31, oldest first. */
  readonly days: ReadonlyArray<string>
  /** The first stands at the bottom. */
  readonly series: ReadonlyArray<ChartSeries>
  /** Name of the table. */
  readonly table: string
}): ReactNode => {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = place.current
    if (element === null) return
    let chart: uPlot | null = null
    const draw = () => {
      chart?.destroy()
      chart = new uPlot(optionsOf(element, series), dataOf(days, series), element)
    }
    draw()
    const resize = new ResizeObserver(() =>
      chart?.setSize({ width: element.clientWidth, height: chartHeight })
    )
    resize.observe(element)
    const theme = new MutationObserver(draw)
    theme.observe(document.documentElement, { attributes: true })
    return () => {
      resize.disconnect()
      theme.disconnect()
      chart?.destroy()
    }
  }, [days, series])
  return (
    <figure className="chart">
      <div ref={place} role="img" aria-label={label} />
      <details>
        <summary>{table}</summary>
        <div className="table-frame">
          <table>
            <thead>
              <tr>
                <th scope="col" />
                {series.map((one) => (
                  <th key={one.label} scope="col" className="number">
                    {one.label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {days.map((day, index) => (
                <tr key={day}>
                  <th scope="row">{day}</th>
                  {series.map((one) => (
                    <td key={one.label} className="number">
                      {one.values[index]}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  )
}

const chartHeight = 220

/** Series from the tallest stack to the lowest, because later ones are drawn over earlier ones. */
const dataOf = (days: ReadonlyArray<string>, series: ReadonlyArray<ChartSeries>): uPlot.AlignedData => {
  const sums = series.map((_, upTo) =>
    days.map((_day, day) =>
      series.slice(0, upTo + 1).reduce((sum, { values }) => sum + (values[day] ?? 0), 0)
    )
  )
  return [days.map((day) => Date.parse(day) / 1000), ...sums.reverse()]
}

const optionsOf = (element: HTMLElement, series: ReadonlyArray<ChartSeries>): uPlot.Options => {
  const style = getComputedStyle(element)
  const color = (name: string) => style.getPropertyValue(name).trim() || style.color
  const bars = uPlot.paths.bars?.({ size: [0.7, 40] })
  const axis = {
    stroke: color("--muted"),
    grid: { stroke: color("--border"), width: 1 },
    ticks: { show: false },
    font: `12px ${style.fontFamily}`
  }
  return {
    width: element.clientWidth,
    height: chartHeight,
    legend: { show: true, live: false },
    cursor: { show: false },
    scales: { y: { range: (_chart, _min, max) => [0, Math.max(4, max)] } },
    axes: [axis, { ...axis, size: 40, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 5_000, 10_000] }],
    series: [
      {},
      ...[...series].reverse().map((one) => ({
        label: one.label,
        fill: color(one.color),
        stroke: color(one.color),
        width: 0,
        points: { show: false },
        ...(bars === undefined ? {} : { paths: bars })
      }))
    ]
  }
}
