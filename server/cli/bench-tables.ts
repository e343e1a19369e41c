/** A row of a table of runs. */
export interface BenchRow {
  readonly name: string
  readonly values: Readonly<Record<string, number>>
  /** Runs that share a letter cannot be told apart on the main metric. */
  readonly group: string
}

const shown = (value: number | undefined): string => (value ?? 0).toFixed(4)
const metricsOf = (rows: ReadonlyArray<BenchRow>): ReadonlyArray<string> => Object.keys(rows[0]?.values ?? {})

export const markdownTable = (rows: ReadonlyArray<BenchRow>): string => {
  const metrics = metricsOf(rows)
  return [
    `| run | ${metrics.join(" | ")} | group |`,
    `|---|${metrics.map(() => "---:").join("|")}|---|`,
    ...rows.map(
      ({ group, name, values }) =>
        `| ${name} | ${metrics.map((metric) => shown(values[metric])).join(" | ")} | ${group} |`
    )
  ]
    .join("\n")
    .concat("\n")
}

export const csvTable = (rows: ReadonlyArray<BenchRow>): string => {
  const metrics = metricsOf(rows)
  const quoted = (text: string): string => (/[",\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
  return [
    ["run", ...metrics, "group"].join(","),
    ...rows.map(({ group, name, values }) =>
      [quoted(name), ...metrics.map((metric) => String(values[metric] ?? 0)), group].join(",")
    )
  ]
    .join("\n")
    .concat("\n")
}

export const latexTable = (rows: ReadonlyArray<BenchRow>): string => {
  const metrics = metricsOf(rows)
  const escaped = (text: string): string => text.replace(/[&%$#_{}]/gu, "\\$&")
  return [
    `\\begin{tabular}{l${"r".repeat(metrics.length)}}`,
    "\\hline",
    `run & ${metrics.map(escaped).join(" & ")} \\\\`,
    "\\hline",
    ...rows.map(
      ({ group, name, values }) =>
        `${escaped(name)}$^{${group}}$ & ${metrics.map((metric) => shown(values[metric])).join(" & ")} \\\\`
    ),
    "\\hline",
    "\\end{tabular}"
  ]
    .join("\n")
    .concat("\n")
}
