/** Metrics of the tables; the first one decides the groups. */
export const metrics = ["ndcg@10", "ap", "rr", "recall@100", "p@10", "judged@10"]

/** Documents of each ranking. */
export const depth = 100
