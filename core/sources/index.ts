/** Content connectors: their configuration, and the port of the crawlers that read sources. */
export * from "./crawler.js"
export * from "./providers.js"
