export * from "./model.js"
export { nextReview } from "./review.js"
export { changeSettings } from "./service.js"
export * from "./store.js"
