import type { Reporter, TestModule } from "vitest/node"

const shownFiles = 20

/** Prints the test files that took longest, with the time of their tests and hooks. */
export default class SlowestFiles implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>): void {
    if (modules.length < shownFiles) return
    const rows = modules
      .map((module) => ({ module, ms: module.diagnostic().duration }))
      .sort((a, b) => b.ms - a.ms)
      .slice(0, shownFiles)
      .map(
        ({ module, ms }) =>
          `${(ms / 1000).toFixed(1).padStart(8)} s  ${module.project.name}  ${module.relativeModuleId}`
      )
    console.log(`\n Slowest files\n${rows.join("\n")}\n`)
  }
}
