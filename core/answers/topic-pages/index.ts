/** Topic pages: pages compiled from the statements of a corpus about one subject, as proposed documents. */
export * as topicPageOperations from "./operations.js"
export { hasOutdatedPages, refreshTopicPages } from "./refresh.js"
