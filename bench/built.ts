import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { chosen } from "./database.js"

const root = fileURLToPath(new URL("..", import.meta.url))

/** The entry point that users import for the chosen database, in a `dist/` that is made of these sources. */
export const builtEngine = (): URL => builtModule(join("adapters", chosen(), "index.js"))

/** A module of a `dist/` that is made of these sources. */
export const builtModule = (path: string): URL => {
  const build = [join(root, "tools", "build.mjs"), "--if-stale", "--keep-going"]
  // The output of the build is dropped, because standard output carries the results.
  const { status } = spawnSync(process.execPath, build, { stdio: ["ignore", "ignore", "inherit"] })
  if (status !== 0) console.error("The build has complaints; what was built is measured.")
  return pathToFileURL(join(root, "dist", path))
}
