import { testCommands } from "../support/docs-run.js"

testCommands("reference", (page) => page.startsWith("docs/cli"))
