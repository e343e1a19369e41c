import type { DataConnectorKind } from "./model.js"

const words = (text: string): ReadonlyArray<string> => text.split(/\s+/u).filter((word) => word !== "")

/** Functions that compute from their arguments alone, and bear one name in all databases. */
const common = words(`
  abs acos asin atan atan2 avg ceil ceiling char_length coalesce concat concat_ws cos cot count cume_dist current_date
  current_time current_timestamp degrees dense_rank exp first_value floor greatest lag last_value lead least left
  length ln log log10 lower lpad ltrim max min mod now nth_value ntile nullif octet_length percent_rank pi pow power
  radians random rank repeat replace reverse right round row_number rpad rtrim sign sin sqrt substr substring sum tan
  trim upper
`)

const postgres = words(`
  acosd acosh age array_agg array_append array_cat array_dims array_fill array_length array_lower array_ndims
  array_position array_positions array_prepend array_remove array_replace array_sample array_to_json array_to_string
  array_upper ascii asind asinh atan2d atand atanh any_value
  bit_and bit_count bit_length bit_or bit_xor bool_and bool_or btrim cardinality cbrt character_length chr
  clock_timestamp convert_from convert_to corr cosd cosh cotd covar_pop covar_samp
  date date_bin date_part date_trunc daterange datemultirange decode div encode erf erfc every extract factorial
  format gcd gen_random_uuid generate_series generate_subscripts get_bit get_byte grouping initcap
  int4multirange int4range int8multirange int8range is_normalized isempty isfinite
  json_agg json_array json_array_elements json_array_elements_text json_array_length json_arrayagg json_build_array
  json_build_object json_each json_each_text json_extract_path json_extract_path_text json_object json_object_agg
  json_object_keys json_objectagg json_populate_record json_populate_recordset json_scalar json_serialize
  json_strip_nulls json_to_record json_to_recordset json_typeof
  jsonb_agg jsonb_array_elements jsonb_array_elements_text jsonb_array_length jsonb_build_array jsonb_build_object
  jsonb_each jsonb_each_text jsonb_extract_path jsonb_extract_path_text jsonb_insert jsonb_object jsonb_object_agg
  jsonb_object_keys jsonb_path_exists jsonb_path_exists_tz jsonb_path_match jsonb_path_match_tz jsonb_path_query
  jsonb_path_query_array jsonb_path_query_array_tz jsonb_path_query_first jsonb_path_query_first_tz
  jsonb_path_query_tz jsonb_populate_record jsonb_populate_recordset jsonb_pretty jsonb_set jsonb_set_lax
  jsonb_strip_nulls jsonb_to_record jsonb_to_recordset jsonb_typeof
  justify_days justify_hours justify_interval lcm like_escape lower_inc lower_inf make_date make_interval make_time
  make_timestamp make_timestamptz md5 min_scale mode multirange normalize num_nonnulls num_nulls
  nummultirange numnode numrange overlaps overlay percentile_cont percentile_disc phraseto_tsquery plainto_tsquery
  position quote_ident quote_literal quote_nullable range_agg range_intersect_agg range_merge
  regexp_count regexp_instr regexp_like regexp_match regexp_matches regexp_replace regexp_split_to_array
  regexp_split_to_table regexp_substr regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx
  regr_sxy regr_syy row_to_json scale setweight sha224 sha256 sha384 sha512 similar_to_escape sind sinh split_part
  starts_with statement_timestamp stddev stddev_pop stddev_samp string_agg string_to_array string_to_table strip
  strpos tand tanh text timeofday timezone to_ascii to_char to_date to_hex to_json to_jsonb to_number to_timestamp
  to_tsquery to_tsvector transaction_timestamp translate trim_array trim_scale trunc ts_headline ts_rank ts_rank_cd
  tsmultirange tsrange tstzmultirange tstzrange unistr unnest upper_inc upper_inf uuid_extract_timestamp
  uuid_extract_version uuidv4 uuidv7 var_pop var_samp variance websearch_to_tsquery width_bucket bit_length
  similarity word_similarity strict_word_similarity unaccent
`)

const sqlite = words(`
  -> ->> acosh asinh atanh char cosh date datetime format glob group_concat hex if ifnull iif instr json json_array
  json_array_length json_error_position json_extract json_group_array json_group_object json_insert json_object
  json_patch json_pretty json_quote json_remove json_replace json_set json_type json_valid jsonb jsonb_array
  jsonb_extract jsonb_group_array jsonb_group_object jsonb_insert jsonb_object jsonb_patch jsonb_remove jsonb_replace
  jsonb_set julianday like likelihood likely log2 median percentile percentile_cont percentile_disc printf quote sinh
  soundex strftime string_agg subtype tanh time timediff total trunc typeof unhex unicode unistr unlikely unixepoch
  bm25 highlight snippet matchinfo offsets rtreecheck
`)

const mysql = words(`
  adddate addtime ascii any_value bin bin_to_uuid binary bit_and bit_count bit_length bit_or bit_xor cast char
  character_length coercibility collation conv convert convert_tz crc32 curdate curtime date date_add date_format
  date_sub datediff day dayname dayofmonth dayofweek dayofyear default elt export_set extract field find_in_set format
  from_base64 from_days from_unixtime get_format group_concat grouping hex hour if ifnull inet6_aton inet6_ntoa
  inet_aton inet_ntoa insert instr interval is_ipv4 is_ipv6 is_uuid isnull
  json_array json_array_append json_array_insert json_arrayagg json_compact json_contains json_contains_path
  json_depth json_detailed json_equals json_exists json_extract json_insert json_keys json_length json_loose
  json_merge_patch json_merge_preserve json_normalize json_object json_objectagg json_overlaps json_pretty json_query
  json_quote json_remove json_replace json_search json_set json_table json_type json_unquote json_valid json_value
  last_day lcase localtime localtimestamp locate log2 make_set makedate maketime match md5 median microsecond mid
  minute month monthname natural_sort_key nvl nvl2 oct ord percentile_cont percentile_disc period_add period_diff
  position quarter quote rand regexp_instr regexp_like regexp_replace regexp_substr sec_to_time second sha sha1 sha2
  sformat soundex space st_astext st_distance st_x st_y std stddev stddev_pop stddev_samp str_to_date strcmp subdate
  substring_index subtime sysdate time time_format time_to_sec timediff timestamp timestampadd timestampdiff to_base64 to_char
  to_date to_days to_seconds truncate ucase unhex unix_timestamp utc_date utc_time utc_timestamp
  uuid_to_bin values var_pop var_samp variance week weekday weekofyear weight_string year yearweek
`)

/** The functions that queries of each database may call: all of them compute, and none reads or changes anything else. */
const builtIn: Readonly<Record<DataConnectorKind, ReadonlySet<string>>> = {
  postgres: new Set([...common, ...postgres]),
  sqlite: new Set([...common, ...sqlite]),
  mysql: new Set([...common, ...mysql])
}

/** Whether a query may call a function of this name, in any case; `added` are those that the administrator allows. */
export const isAllowedFunction = (
  kind: DataConnectorKind,
  name: string,
  added: ReadonlyArray<string> = []
): boolean =>
  builtIn[kind].has(name.toLowerCase()) || added.some((one) => one.toLowerCase() === name.toLowerCase())

/** Returns the message for a function that is not allowed, with what an administrator can do about it. */
export const functionRefusal = (name: string): string =>
  `The function ${name} is not on the list of functions that only compute. If it is safe, an administrator can add it to the connector: settings.functions.`

/** Whether a relation is on the list of a connector, which may name schemas. */
export const isListedRelation = (
  relations: ReadonlyArray<string> | undefined,
  schema: string | undefined,
  name: string
): boolean =>
  relations === undefined ||
  relations.some((one) => {
    const listed = one.toLowerCase()
    const bare = name.toLowerCase()
    return schema === undefined
      ? listed === bare || listed === `public.${bare}`
      : listed === `${schema.toLowerCase()}.${bare}` || (schema === "public" && listed === bare)
  })

/** Returns the message for a relation that is not listed, with the setting that lists it. */
export const relationRefusal = (name: string): string =>
  `The relation ${name} is not among those that the connector lists: settings.relations.`
