// Reads the JSON reports of test runs and prints "N passed, N failed" for all of them as the last line.
// A file that failed without running one of its tests counts as one failure; so does a run without a report.
import { existsSync, readFileSync } from "node:fs"

let passed = 0
let failed = 0
for (const path of process.argv.slice(2)) {
  if (!existsSync(path)) {
    console.error(`The test runner wrote no report ${path}: none of its tests has run.`)
    failed += 1
    continue
  }
  const report = JSON.parse(readFileSync(path, "utf8"))
  const silent = report.testResults.filter(
    (file) => file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed")
  )
  for (const file of silent) console.log(`failed to load: ${file.name}`)
  passed += report.numPassedTests
  failed += report.numFailedTests + silent.length
  if (!report.success) process.exitCode = 1
}
console.log(`${passed} passed, ${failed} failed`)
if (failed > 0 || passed === 0) process.exitCode = 1
