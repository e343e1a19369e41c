/**
 * What is remembered of a database: bounded, and of use only as of the stamp that it was read under.
 */
export { ByteCache } from "./byte-cache.js"
export { bytesFor, CacheBytes } from "./cache-bytes.js"
export { LabelSet } from "./label-set.js"
export { StampedRows } from "./stamped-rows.js"
export { StampedValue } from "./stamped-value.js"
