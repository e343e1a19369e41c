import { testCommands } from "../support/docs-run.js"

testCommands("guides", (page) => !page.startsWith("docs/cli"))
