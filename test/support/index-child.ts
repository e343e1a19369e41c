import { indexInHalves } from "./index-in-halves.js"

// A process of its own, which may write no longer files than its shell allows: `index-child FOLDER`.
process.stdout.write(JSON.stringify(await indexInHalves(process.argv[2] ?? "")))
