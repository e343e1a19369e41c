import { afterAll } from "vitest"
import { removeLeft } from "./cli.js"

// Loaded before every test file that may run the built command.
afterAll(removeLeft)
