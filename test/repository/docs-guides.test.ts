import { testCommands } from "../support/docs-run.js"

testCommands("guides", (page) => page !== "docs/cli.md")
