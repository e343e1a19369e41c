/** Bounded caches of data read from the database, valid for the stamp under which it was read. */
export { ByteCache, bytesFor, CacheBytes } from "./byte-cache.js"
export { invalidationCounts } from "./invalidation-counts.js"
export { LabelSet } from "./label-set.js"
export { memoize } from "./memoize.js"
export { StampedRows, StampedValue } from "./stamped-value.js"
