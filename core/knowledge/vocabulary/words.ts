/** Namespaces of the supported vocabularies. */
export const skos = "http://www.w3.org/2004/02/skos/core#"
export const rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
const rdfs = "http://www.w3.org/2000/01/rdf-schema#"
const owl = "http://www.w3.org/2002/07/owl#"
const dct = "http://purl.org/dc/terms/"
const adms = "http://www.w3.org/ns/adms#"
const prov = "http://www.w3.org/ns/prov#"
/** Labels as nodes: https://www.w3.org/TR/skos-reference/skos-xl.html. */
export const skosXl = "http://www.w3.org/2008/05/skos-xl#"
const xsd = "http://www.w3.org/2001/XMLSchema#"

/** Terms of vocabularies other than SKOS. */
export const words = {
  label: `${rdfs}label`,
  class: `${rdfs}Class`,
  value: `${rdf}value`,
  literalForm: `${skosXl}literalForm`,
  first: `${rdf}first`,
  rest: `${rdf}rest`,
  deprecated: `${owl}deprecated`,
  type: `${dct}type`,
  title: `${dct}title`,
  modified: `${dct}modified`,
  identifier: `${dct}identifier`,
  replaces: `${dct}replaces`,
  isReplacedBy: `${dct}isReplacedBy`,
  status: `${adms}status`,
  agent: `${prov}Agent`,
  wasAttributedTo: `${prov}wasAttributedTo`,
  dateTime: `${xsd}dateTime`,
  boolean: `${xsd}boolean`,
  statusCompleted: "http://purl.org/adms/status/Completed",
  statusDeprecated: "http://purl.org/adms/status/Deprecated",
  statusWithdrawn: "http://purl.org/adms/status/Withdrawn"
} as const

const link = (iri: string) => ({ "@id": iri, "@type": "@id", "@container": "@set" }) as const
const byLanguage = (iri: string) => ({ "@id": iri, "@container": ["@language", "@set"] }) as const
const once = (iri: string) => ({ "@id": iri, "@container": "@language" }) as const

/** The JSON-LD context of every export. It is self-contained and only ever extended. */
export const context = {
  "@version": 1.1,
  Concept: `${skos}Concept`,
  ConceptScheme: `${skos}ConceptScheme`,
  Agent: words.agent,
  Class: words.class,
  inScheme: link(`${skos}inScheme`),
  topConceptOf: link(`${skos}topConceptOf`),
  hasTopConcept: link(`${skos}hasTopConcept`),
  prefLabel: once(`${skos}prefLabel`),
  altLabel: byLanguage(`${skos}altLabel`),
  hiddenLabel: byLanguage(`${skos}hiddenLabel`),
  definition: byLanguage(`${skos}definition`),
  scopeNote: byLanguage(`${skos}scopeNote`),
  note: byLanguage(`${skos}note`),
  example: byLanguage(`${skos}example`),
  historyNote: byLanguage(`${skos}historyNote`),
  editorialNote: byLanguage(`${skos}editorialNote`),
  changeNote: byLanguage(`${skos}changeNote`),
  notation: byLanguage(`${skos}notation`),
  typedNotation: { "@id": `${skos}notation`, "@container": "@set" },
  broader: link(`${skos}broader`),
  narrower: link(`${skos}narrower`),
  related: link(`${skos}related`),
  exactMatch: link(`${skos}exactMatch`),
  closeMatch: link(`${skos}closeMatch`),
  broadMatch: link(`${skos}broadMatch`),
  narrowMatch: link(`${skos}narrowMatch`),
  relatedMatch: link(`${skos}relatedMatch`),
  Collection: `${skos}Collection`,
  OrderedCollection: `${skos}OrderedCollection`,
  member: link(`${skos}member`),
  memberList: { "@id": `${skos}memberList`, "@type": "@id", "@container": "@list" },
  conceptType: link(words.type),
  label: { "@id": words.label },
  identifier: { "@id": words.identifier },
  title: { "@id": words.title },
  status: { "@id": words.status, "@type": "@id" },
  deprecated: { "@id": words.deprecated, "@type": words.boolean },
  modified: { "@id": words.modified, "@type": words.dateTime },
  isReplacedBy: { "@id": words.isReplacedBy, "@type": "@id" },
  replaces: link(words.replaces),
  wasAttributedTo: link(words.wasAttributedTo)
} as const
