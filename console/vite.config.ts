import { fileURLToPath } from "node:url"
import { defineConfig, type Plugin } from "vite"

/** Lets the browser fetch the application beside the entry, which first finds the language. */
const preloadApplication: Plugin = {
  name: "preload-application",
  transformIndexHtml: {
    order: "post",
    handler: (_html, { bundle = {} }) => {
      const application = Object.values(bundle).find((one) => one.type === "chunk" && one.name === "app")
      if (application === undefined) throw new Error("The console has no chunk of its application.")
      return [
        {
          tag: "link",
          attrs: { rel: "modulepreload", crossorigin: true, href: `./${application.fileName}` },
          injectTo: "head"
        }
      ]
    }
  }
}

/** The server stamps `<base href>` into index.html; all addresses are relative to it or to the module that has them. */
export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  base: "./",
  publicDir: false,
  plugins: [preloadApplication],
  build: {
    rolldownOptions: {
      // "use client" of React packages means nothing here.
      onLog: (level, log, show) => {
        if (log.code !== "MODULE_LEVEL_DIRECTIVE") show(level, log)
      }
    },
    target: "es2023",
    outDir: "../dist/console",
    emptyOutDir: true,
    assetsDir: "assets",
    // Files of the policy's `img-src 'self'`: a data address would be refused.
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    reportCompressedSize: false
  },
  worker: { format: "es" },
  oxc: { jsx: { runtime: "automatic" } }
})
