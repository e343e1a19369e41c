// Import rules. core/rooms.json says which district holds which room, and which room may import which.
const districts = require("./core/rooms.json")
const rooms = Object.assign({}, ...Object.values(districts))
const folders = Object.fromEntries(
  Object.entries(districts).flatMap(([district, own]) =>
    Object.keys(own).map((room) => [room, `core/${district}/${room}`])
  )
)

const door = (room) => `^${folders[room]}/index\\.ts$`

/** Rooms that need every operation or port: they also import the loose files of `core/`. */
const hostRooms = new Set(["agent-tools", "engine"])

/** A room imports itself, the kernel, and the rooms that the table names, each through its index. */
const roomRule = (room) => ({
  name: `room-${room}`,
  severity: "error",
  comment: `${folders[room]} imports what core/rooms.json does not allow, or not through the other room's index.ts.`,
  from: { path: `^${folders[room]}/` },
  to: {
    path: "^core/",
    pathNot: [
      `^${folders[room]}/`,
      ...(room === "kernel" ? [] : [door("kernel")]),
      ...rooms[room].map(door),
      ...(hostRooms.has(room) ? ["^core/[^/]+\\.ts$"] : [])
    ]
  }
})

/** The SQL of a district imports its own, that of districts before it, and what lies beside them. */
const sqlRule = (district, place, all) => ({
  name: `sql-${district}`,
  severity: "error",
  comment: `adapters/sql/${district} imports the SQL of a district above it (core/rooms.json).`,
  from: { path: `^adapters/sql/${district}/` },
  to: { path: all.slice(place + 1).map((above) => `^adapters/sql/${above}/`) }
})

/** Pure helpers; whatever else the core needs from outside comes to it through a port. */
const pureModules = [
  "effect",
  "zod",
  "diff",
  "markdown-it",
  "markdown-it-footnote",
  "smol-toml",
  "yaml",
  "stemmer",
  "ml-matrix",
  "re2js",
  "compromise"
]
const modulePath = (name) => `^node_modules/(@types/)?${name}/`

module.exports = {
  forbidden: [
    ...Object.keys(rooms).map(roomRule),
    ...Object.keys(districts)
      .slice(0, -1)
      .map((district, place) => sqlRule(district, place, Object.keys(districts))),
    {
      name: "sql-helpers-know-no-district",
      severity: "error",
      comment:
        "A file beside the districts of adapters/sql serves all of them: it knows none, and of core the platform.",
      from: { path: "^adapters/sql/[^/]+\\.ts$" },
      to: { path: ["^adapters/sql/(?!migrations/)[^/]+/", "^core/(?!platform/)"] }
    },
    {
      name: "core-has-no-io",
      severity: "error",
      comment: "The core neither reads a disk nor a clock nor a socket: make it a port and write an adapter.",
      from: { path: "^core/" },
      to: { dependencyTypes: ["core"] }
    },
    {
      name: "core-knows-no-vendor",
      severity: "error",
      comment: `The core imports of npm only ${pureModules.join(", ")}.`,
      from: { path: "^core/" },
      to: { path: "^node_modules/", pathNot: pureModules.map(modulePath) }
    },
    {
      name: "core-stands-alone",
      severity: "error",
      comment: "Nothing in the core knows who uses it.",
      from: { path: "^core/" },
      to: { path: "^(adapters|server|test|bench|demo|tools)/" }
    },
    {
      name: "machines-are-pure",
      severity: "error",
      comment: "A machine.ts imports types, effect/Either, the kernel and the tables of its own states.",
      from: { path: "^core/[^/]+/[^/]+/machine\\.ts$" },
      to: {
        dependencyTypesNot: ["type-only"],
        pathNot: [
          "^node_modules/effect/dist/esm/Either\\.js$",
          "^core/[^/]+/[^/]+/states\\.ts$",
          door("kernel")
        ]
      }
    },
    {
      name: "rooms-have-one-door",
      severity: "error",
      comment: "A room is seen through its index.ts.",
      from: { path: "^(adapters/|server/|demo/|test/contract/|core/[^/]+\\.ts$)", pathNot: "\\.test\\.ts$" },
      to: { path: "^core/[^/]+/", pathNot: "^core/[^/]+/[^/]+/index\\.ts$" }
    },
    {
      name: "adapters-stay-below-the-engine",
      severity: "error",
      comment: "An adapter implements ports; only the packaged engines put the whole core together.",
      from: { path: "^adapters/", pathNot: "^adapters/(engine|sqlite|postgres)/" },
      to: { path: "^core/[^/]+\\.ts$" }
    },
    {
      name: "adapters-know-no-server",
      severity: "error",
      comment: "The server is built on the adapters, never the other way round.",
      from: { path: "^adapters/" },
      to: { path: "^(server|test|bench|demo|tools)/" }
    },
    {
      name: "server-knows-no-tests",
      severity: "error",
      comment: "What is shipped does not import what is not.",
      from: { path: "^server/" },
      to: { path: "^(test|bench|demo|tools)/" }
    },
    {
      name: "contract-kit-needs-no-adapter",
      severity: "error",
      comment: "kanon/contract is published for other people's adapters; it brings none of ours along.",
      from: { path: "^test/contract/", pathNot: "\\.test\\.ts$" },
      to: { path: "^(adapters|server|bench|demo|tools|test/(?!contract/))" }
    },
    {
      name: "effect-by-sub-path",
      severity: "error",
      comment:
        'Write import * as Effect from "effect/Effect": the root of effect costs half a second at start-up.',
      from: { path: "^(core|adapters|server|test/contract)/", pathNot: "\\.test\\.ts$" },
      to: { path: "^node_modules/effect/dist/(esm|cjs|dts)/index\\." }
    },
    {
      name: "shipped-code-needs-shipped-modules",
      severity: "error",
      comment:
        "What the package imports is a dependency of the package, an optional peer of it, or bundled into the command or the library (withinLibrary of tools/bundle.mjs).",
      from: { path: "^(core|adapters|server)/", pathNot: "^server/cli/" },
      to: {
        pathNot:
          "^node_modules/(@ai-sdk/(anthropic|openai-compatible)|ai|diff|markdown-it|markdown-it-footnote|openid-client|@simplewebauthn/server|ml-matrix|smol-toml|stemmer|yaml)/",
        dependencyTypes: ["npm-dev", "npm-no-pkg", "npm-unknown"],
        dependencyTypesNot: ["type-only", "npm-peer"]
      }
    },
    {
      name: "imports-resolve",
      severity: "error",
      comment: "The imported file does not exist.",
      from: {},
      to: { couldNotResolve: true }
    },
    {
      name: "no-cycles",
      severity: "error",
      comment: "Files that import each other in a circle are one file, or need a third.",
      from: {},
      to: { circular: true }
    }
  ],
  options: {
    tsPreCompilationDeps: true,
    // A symlinked node_modules keeps its name, so that the rules above see it as one.
    preserveSymlinks: true,
    doNotFollow: { path: "node_modules" },
    // Programs that made the fixtures once, with packages that are not installed here.
    exclude: { path: "^test/fixtures/formats/making/" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "node", "default"] }
  }
}
