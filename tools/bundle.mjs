// Puts the command of package.json, with all that it imports, into one file of dist/bin/ and the programs of threads
// into a few: a process then starts in a fifth of the time that a thousand small files take. The library's own modules
// are put together too, into dist/lib/, with small packages of many files that nobody else sees.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { basename, join, relative } from "node:path"
import { build } from "esbuild"

/** Programs of threads and of child processes: they are looked for beside the file that starts them. */
const threads = [
  "adapters/formats/convert-main",
  "adapters/host/long-texts-main",
  "adapters/livedata/sqlite/sqlite-child-main",
  "adapters/rdf/parse-worker-main",
  "adapters/sqlite/work-thread-main",
  "adapters/vectors/build-worker-main",
  "adapters/vectors/fit-worker-main"
]

/** zod brings its messages in fifty languages, and nothing leaves them out by itself: they are half of it. */
const oneLanguage = {
  name: "one-language",
  setup: (bundler) => {
    bundler.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: 'export { default as en } from "./en.js"'
    }))
  }
}

/**
 * Features of every supported Node. Without this entry each `/\p{L}/u` inside a function becomes a `new RegExp`, made
 * again at every call.
 */
const known = { "regexp-unicode-property-escapes": true }

/** Native code stays a package of its own, and so does what few ever load and what does not bear being bundled. */
const external = [
  "better-sqlite3",
  "hnswlib-node",
  "jsonld",
  "libpg-query",
  "mysql2",
  "n3",
  "@embedpdf/pdfium",
  "@llamaindex/liteparse",
  "@mixmark-io/domino",
  "@mozilla/readability",
  "@xmldom/xmldom",
  "aws4fetch",
  "chardet",
  "fflate",
  "iconv-lite",
  "imapflow",
  "mammoth",
  "numfmt",
  "papaparse",
  "postal-mime",
  "saxen",
  "turndown"
]

/** Bundles the compiled JavaScript in `folder` into `folder/bin`, with the licences of what is inside. */
export const bundle = async (root, folder) => {
  const out = join(folder, "bin")
  const usual = {
    absWorkingDir: root,
    outdir: out,
    bundle: true,
    platform: "node",
    target: "node20.19",
    supported: known,
    external,
    plugins: [oneLanguage],
    metafile: true,
    legalComments: "none",
    minifySyntax: true,
    minifyWhitespace: true,
    logLevel: "error"
  }
  // One script, whose compiled form V8 gives away; modules of ECMAScript have none in Node 20.
  const command = await build({
    ...usual,
    entryPoints: [join(folder, "server/cli/app.js")],
    entryNames: "kanon-[hash]",
    format: "cjs",
    // A script has no modules to wait for: what is left outside is required.
    supported: { ...known, "dynamic-import": false },
    outExtension: { ".js": ".cjs" },
    define: { "import.meta.url": "addressOfBundle" },
    // The function of a CommonJS module: `server/cli/program.ts` compiles the file as it is read, without a copy.
    banner: {
      js: '(function (exports, require, module, __filename, __dirname) { const addressOfBundle = require("node:url").pathToFileURL(__filename).href;'
    },
    footer: { js: "return module.exports })" }
  })
  const [file] = Object.keys(command.metafile.outputs)
  const program = basename(file)
  escapeNonAscii(join(root, file))
  const others = await build({
    ...usual,
    entryPoints: [
      { in: join(folder, "server/cli/main.js"), out: "kanon" },
      ...threads.map((path) => ({ in: join(folder, `${path}.js`), out: path.split("/").at(-1) }))
    ],
    splitting: true,
    format: "esm",
    chunkNames: "part-[hash]",
    external: [...external, "./app.js"],
    define: { kanonProgram: JSON.stringify(program) },
    banner: { js: requireInModules }
  })
  const inputs = Object.keys({ ...command.metafile.inputs, ...others.metafile.inputs })
  writeFileSync(join(out, "THIRD-PARTY-LICENSES.txt"), licencesOf(root, packagesOf(inputs)))
  // A thread shares no module with the program that starts it, so the library's threads start from the bundle too.
  for (const path of threads) {
    const up = "../".repeat(path.split("/").length - 1)
    writeFileSync(join(folder, `${path}.js`), `import "${up}bin/${path.split("/").at(-1)}.js"\n`)
    rmSync(join(folder, `${path}.js.map`), { force: true })
  }
}

/**
 * Escapes what esbuild leaves in regular expressions, tagged templates that hold their source among them: V8 reads and
 * checks a program of one-byte characters in half the time.
 */
const escapeNonAscii = (file) => {
  const text = readFileSync(file, "utf8")
  const escaped = text.replace(
    /[^\0-\x7f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  )
  writeFileSync(file, escaped)
}

/**
 * Folder of the library's modules within the future dist/. All are in one folder, so that relative paths from there
 * stay the same.
 */
const libraryFolder = "lib"

/** Modules that look for files beside them find those from the folder of the library. */
const besideThemselves = (folder) => ({
  name: "beside-themselves",
  setup: (bundler) => {
    bundler.onLoad({ filter: /\.js$/ }, ({ path }) => {
      if (path.includes("node_modules")) return undefined
      const text = readFileSync(path, "utf8")
      if (!text.includes("import.meta.url")) return undefined
      const from = relative(join(folder, libraryFolder), path).replaceAll("\\", "/")
      const address = `new URL(${JSON.stringify(from)}, import.meta.url).href`
      return { contents: text.replaceAll("import.meta.url", address), loader: "js" }
    })
  }
})

/**
 * Packages that become part of the library, with what they import: a file costs about 2 ms to load, and these are 250.
 * What a product shares with Kanon (effect, its database clients) and native code stay packages.
 */
const withinLibrary = new Set([
  ...["compromise", "efrt", "grad-school", "suffix-thumb"],
  ...[
    "diff",
    "markdown-it",
    "markdown-it-footnote",
    "ml-matrix",
    "is-any-array",
    "ml-array-max",
    "ml-array-min",
    "ml-array-rescale",
    "smol-toml",
    "stemmer",
    "yaml",
    "zod"
  ],
  ...["openid-client", "oauth4webapi", "jose"],
  ...["@simplewebauthn/server", "@hexagon/base64", "@levischuck/tiny-cbor", "@peculiar/asn1-android"],
  ...["@peculiar/asn1-asym-key", "tslib"],
  ...["@peculiar/asn1-cms", "@peculiar/asn1-csr", "@peculiar/asn1-ecc", "@peculiar/asn1-pfx"],
  ...["@peculiar/asn1-pkcs8", "@peculiar/asn1-pkcs9", "@peculiar/asn1-rsa", "@peculiar/asn1-schema"],
  ...["@peculiar/asn1-x509", "@peculiar/asn1-x509-attr", "@peculiar/asn1-x509-post-quantum"],
  ...["@peculiar/utils", "@peculiar/x509", "asn1js", "pvtsutils", "pvutils", "reflect-metadata", "tsyringe"],
  ...["entities", "linkify-it", "mdurl", "punycode.js", "uc.micro"],
  ...["ai", "@ai-sdk/anthropic", "@ai-sdk/gateway", "@ai-sdk/openai-compatible", "@ai-sdk/provider"],
  ...["@ai-sdk/provider-utils", "@opentelemetry/api", "@vercel/oidc", "eventsource-parser"]
])
const otherPackages = {
  name: "other-packages",
  setup: (bundler) => {
    bundler.onResolve({ filter: /^[^./]/ }, ({ kind, path }) => {
      if (kind === "entry-point") return undefined
      const name = path.split("/", path.startsWith("@") ? 2 : 1).join("/")
      return withinLibrary.has(name) ? undefined : { path, external: true }
    })
  }
}

/** Packages that are CommonJS inside ask for Node's own modules by `require`. */
const requireInModules =
  'import { createRequire as requireOfBundle } from "node:module"; const require = requireOfBundle(import.meta.url);'

/** Entry points that browsers load, too: nothing of Node may come into them. */
const forBrowsers = new Set(["server/client/index.js", "react/index.js"])

/**
 * Puts the modules behind the entry points of package.json together, those that several of them share into files that
 * they share. The entry points stay where they are, as doors; the declarations of types stay as they are compiled.
 */
export const bundleLibrary = async (root, folder) => {
  const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  const entries = Object.values(exports).flatMap((target) =>
    typeof target === "string" ? [] : [target.default.replace(/^\.\/dist\//, "")]
  )
  const nameOf = (entry) => entry.replace(/\.js$/, "").replaceAll("/", ".")
  const usual = {
    // Names of modules in what comes out are those that they have within it.
    absWorkingDir: folder,
    outdir: join(folder, libraryFolder),
    chunkNames: "part-[hash]",
    bundle: true,
    splitting: true,
    supported: known,
    format: "esm",
    sourcemap: true,
    // Lines and names; the texts are in the repository and would be half of the package.
    sourcesContent: false,
    metafile: true,
    logLevel: "error"
  }
  const pointsOf = (paths) => paths.map((entry) => ({ in: join(folder, entry), out: nameOf(entry) }))
  const forNode = await build({
    ...usual,
    // Rarely loaded modules get entries of their own, to keep them apart from modules that everybody loads.
    entryPoints: pointsOf([
      ...entries.filter((entry) => !forBrowsers.has(entry)),
      "server/telemetry/tracing.js"
    ]),
    platform: "node",
    target: "node20.19",
    banner: { js: requireInModules },
    plugins: [otherPackages, oneLanguage, besideThemselves(folder)]
  })
  const forAll = await build({
    ...usual,
    entryPoints: pointsOf(entries.filter((entry) => forBrowsers.has(entry))),
    platform: "neutral",
    // d3 has no other entry for what is neither Node nor a page.
    mainFields: ["module", "main"],
    external: ["react", "react/*"],
    target: "es2022"
  })
  const inputs = Object.keys({ ...forNode.metafile.inputs, ...forAll.metafile.inputs })
  writeFileSync(join(folder, libraryFolder, "THIRD-PARTY-LICENSES.txt"), licencesOf(root, packagesOf(inputs)))
  for (const path of inputs.filter((one) => !one.includes("node_modules/"))) {
    const file = join(folder, path)
    rmSync(`${file}.map`, { force: true })
    const up = "../".repeat(path.split("/").length - 1)
    if (entries.includes(path))
      writeFileSync(file, `export * from "${up}${libraryFolder}/${nameOf(path)}.js"\n`)
    else rmSync(file)
  }
}

const require = createRequire(import.meta.url)

/** The folders of the packages that files are of, from the root of the repository. */
export const packagesOf = (paths) => {
  const found = paths.flatMap(
    (path) => /node_modules\/(?:.*node_modules\/)?(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []
  )
  return [...new Set(found)].sort()
}

/** Name, version and licence text of each package. */
export const licencesOf = (root, packages) =>
  packages
    .map((path) => {
      const folder = join(root, path)
      const { license, name, version } = require(join(folder, "package.json"))
      const texts = readdirSync(folder)
        .filter((file) => /^(licen[cs]e|notice|copying)/i.test(file) && existsSync(join(folder, file)))
        .map((file) => readFileSync(join(folder, file), "utf8").trim())
      return [`${name} ${version} (${license})`, ...texts].join("\n\n")
    })
    .join(`\n\n${"-".repeat(80)}\n\n`)
