/** Bounded caches of data read from the database, valid for the stamp under which it was read. */
export { ByteCache } from "./byte-cache.js"
export { bytesFor, CacheBytes } from "./cache-bytes.js"
export { LabelSet } from "./label-set.js"
export { StampedRows } from "./stamped-rows.js"
export { StampedValue } from "./stamped-value.js"
