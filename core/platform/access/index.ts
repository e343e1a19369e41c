/** Who may read which document: lists of readers, rules for folders, groups, and the view of a caller. */
export * from "./model.js"
export * from "./store.js"
export * from "./view.js"
