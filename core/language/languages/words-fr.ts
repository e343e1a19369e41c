import type { Words } from "./words-en.js"

/** Words of French: see `en`. */
export const fr: Words = {
  function: `le la les l un une des du de d ce cet cette ces c ça cela il elle on nous vous ils elles je j tu me
    m te t se s lui leur leurs mon ma mes ton ta tes son sa ses notre nos votre vos qui que qu quoi
    quel quelle quels quelles quand où pourquoi comment combien dont est es sont était étaient être été
    sera seront suis sommes ai as a ont avons avez avait avoir peut peuvent peux pouvoir doit doivent
    dois devoir faut fait font faire y en et ou mais si donc car ne pas plus non aussi très avec sans
    pour par sur sous dans entre vers chez à au aux après avant depuis pendant lors lorsque comme cette
    est-ce quelqu`,
  pronouns: `il elle ils elles ce cela celui celle ceux`,
  synonyms: `congé congés vacances | salaire rémunération paie | coût prix tarif |
    employé salarié collaborateur employés salariés collaborateurs | entreprise société |
    voyage déplacement | bureau site | responsable chargé |
    payer régler acquitter paie paient payé versé |
    supprimer effacer détruire supprimé effacé détruit supprimées effacées détruites |
    remplacer changer remplacé changé remplacement |
    vérifier contrôler vérifié contrôlé vérifiés contrôlés |
    envoyer expédier transmettre envoyé expédié transmis |
    signaler déclarer notifier signalé déclaré notifié |
    acheter acquérir commander acheté acquis commandé | rembourser remboursement remboursé |
    réduction remise rabais ristourne | voiture véhicule automobile | contrat accord convention |
    réparer réparation dépanner réparé | erreur panne défaut incident | durée délai |
    augmenter hausse relever augmenté | réunion rencontre | médecin docteur médical |
    ordinateur portable pc | logiciel application programme | salle pièce | téléphone numéro poste |
    débuter commencer démarrer début | terminer finir achever fin |
    conserver stocker garder conservé stocké gardé | autorisé permis | interdit défendu`,
  antonyms: `premier dernier | première dernière | nord sud | public privé | interne externe | valide invalide |
    vrai faux | avec sans | supérieur inférieur | actif inactif | active inactive |
    disponible indisponible | complet incomplet | supérieure inférieure | possible impossible`,
  past: "était|étaient|avait|avaient|fut|autrefois|auparavant|coûtait",
  present: "est|sont|coûte|aujourd['’]hui|depuis",
  now: "maintenant|actuellement|désormais",
  ended: "jusqu['’](?:en|à|au)|autrefois|auparavant|avant cela",
  all: "tous|toutes|toute|chaque",
  some: "certaine?s|plusieurs|beaucoup|plupart|quelques",
  invariably: "toujours|systématiquement",
  usually: "souvent|parfois|généralement|normalement|rarement",
  must: "doit|doivent|obligatoire",
  may: "peut|peuvent|pourrait|devrait|facultatif",
  only: "seulement|uniquement|exclusivement",
  condition: "quand|lorsque|si|dès que",
  newest: "prochaine?|dernière?",
  placed: "à|au|aux|chez|dans|derrière|devant|près|sous|sur",
  priced: String.raw`prix|frais|gratuit\p{L}*`,
  frequency: "chaque|tous les|toutes les|par (?:jour|semaine|mois|an)",
  howOften: "à quelle fréquence|tous les combien",
  howLong: "combien (?:de temps|dure|durent)",
  howOld: "quel âge",
  noDenial: "non seulement|pas seulement|pas plus de",
  up: String.raw`augment\w*|hausse`,
  down: String.raw`baiss\w*|diminu\w*`,
  before: "avant",
  after: "après",
  least: "au moins|plus de",
  most: "au plus|jusqu['’]à|moins de",
  above: "au-dessus",
  below: "au-dessous",
  allowed: String.raw`autoris\w*|permis\w*`,
  forbidden: String.raw`interdit\w*|défendu\w*`,
  enabled: String.raw`activé\w*`,
  disabled: String.raw`désactivé\w*`,
  open: String.raw`ouvert\w*`,
  closed: String.raw`fermé\w*`,
  always: "toujours",
  never: "jamais",
  included: String.raw`inclu\w*`,
  excluded: String.raw`exclu\w*`,
  accepted: String.raw`approuv\w*`,
  refused: String.raw`rejet\w*`,
  mandatory: String.raw`obligatoire\w*`,
  optional: String.raw`facultati\w*`
}
