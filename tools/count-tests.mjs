// Reads the JSON report of a test run and prints "N passed, N failed" as the last line.
// A file that failed without running one of its tests counts as one failure; a run without a report has no numbers.
import { existsSync, readFileSync } from "node:fs"

const [path] = process.argv.slice(2)

if (path === undefined || !existsSync(path)) {
  console.error("The test runner wrote no report: no test has run.")
  console.log("0 passed, 0 failed")
  process.exitCode = 1
} else {
  const report = JSON.parse(readFileSync(path, "utf8"))
  const silent = report.testResults.filter(
    (file) => file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed")
  )
  const failed = report.numFailedTests + silent.length
  for (const file of silent) console.log(`failed to load: ${file.name}`)
  console.log(`${report.numPassedTests} passed, ${failed} failed`)
  if (failed > 0 || !report.success) process.exitCode = 1
}
