import { amendmentIn } from "./core/text-analysis/tense.js"
import { ReadText } from "./core/text-analysis/read-text.js"
import { analyse } from "./core/tokenization/index.js"
for (const t of ["In § 9 werden die Wörter „30 Jahre“ durch die Wörter „20 Jahre“ ersetzt.", "In Section 4 the words \"180 days\" are replaced by \"270 days\".", "Dans l'article 3, les mots « 5 jours » sont remplacés par les mots « 8 jours ».", "В пункте 2 слова «10 дней» заменить словами «15 дней».", "第三条中的“30天”修改为“45天”。", "第5条中「10日」を「20日」に改める。","In clause 3, for \"12 months\" substitute \"18 months\".", "The figure \"50 kg\" in rule 2 now reads \"60 kg\".", "Section 4 is amended by striking \"180 days\" and inserting \"270 days\"."]) console.log(amendmentIn(new ReadText(t, analyse)))
