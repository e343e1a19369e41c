import { testCommands } from "../support/docs-run.js"

testCommands("reference", (page) => page === "docs/cli.md")
