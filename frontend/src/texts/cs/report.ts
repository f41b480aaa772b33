// Czech of what searches and reports say: candidates, win probability, where a game turned, skill and luck.
export const report = {
  hold: 'vyčkat',
  '{sims, number} sims, {trials, plural, one {# trial} other {# trials}}':
    '{sims, number} simulací, {trials, plural, one {# pokus} few {# pokusy} many {# pokusu} other {# pokusů}}',
  '{sims, number} sims': '{sims, number} simulací',
  '{n} s': '{n} s',
  'Candidates of {who}': 'Kandidáti: {who}',
  '{error}: no orders in this round': '{error}: v tomto kole žádné rozkazy',
  'Candidate turns': 'Možné tahy',
  candidate: 'kandidát',
  visits: 'návštěvy',
  value: 'hodnota',
  refined: 'zpřesněno',
  'Press a turn to copy it to your orders.': 'Stisknutím se tah zkopíruje do tvých rozkazů.',

  'Win probability': 'Šance na výhru',
  'not known here': 'tady není známa',
  'Win probability of {who} over {rounds, plural, one {# round} other {# rounds}}':
    'Šance na výhru během {rounds, plural, one {# kola} few {# kol} many {# kola} other {# kol}}: {who}',
  'round {round}: a fall of more than 15 points': 'kolo {round}: pokles o víc než 15 p. b.',
  '{who}, after round {round}: share of playouts won, all playing like <i>aggressive</i>; band: 95 %.':
    '{who}, po kole {round}: podíl vyhraných dohrávek, ve kterých všichni hrají jako <i>aggressive</i>; pás: 95 %.',
  '{who}, at the start: share of playouts won, all playing like <i>aggressive</i>; band: 95 %.':
    '{who}, na začátku: podíl vyhraných dohrávek, ve kterých všichni hrají jako <i>aggressive</i>; pás: 95 %.',
  '{who}: none is known for this game yet.': '{who}: pro tuto hru ještě není známa.',
  '{title}, by rounds': '{title} podle kol',

  'The report is being made: {done} of {rounds, plural, one {# round} other {# rounds}} …':
    'Připravuje se rozbor: {done} z {rounds, plural, one {# kola} few {# kol} many {# kola} other {# kol}} …',
  'The report is being made …': 'Připravuje se rozbor …',
  'No report: {reason}': 'Rozbor není: {reason}',
  Report: 'Rozbor',
  'turns held against {judge}; ± 95 %': 'tahy porovnané s botem {judge}; ± 95 %',
  'Win probability, %': 'Šance na výhru, %',
  'Where it turned': 'Kde se hra zlomila',
  '{points} points for <b>{who}</b>, {luck} by the dice.': '<b>{who}</b>: {points} p. b., z toho kostky {luck}.',
  'Played: {orders}.': 'Zahráno: {orders}.',
  'Better by {gain} ± {error}: {orders}.': 'Lepší o {gain} ± {error}: {orders}.',
  '{armies} on {region}': '{armies} na {region}',
  '{from} → {to} with {armies}': '{from} → {to} ({armies})',
  'Show the better turn of round {round}': 'Ukázat lepší tah kola {round}',
  'Show it': 'Ukázat',
  'No turn is known that was surely better.': 'Není znám tah, který by byl jistě lepší.',
  'Nothing cost anybody 8 points or more in one round.': 'V žádném kole nikdo neztratil 8 p. b. ani víc.',
  'Skill and luck': 'Umění a štěstí',
  Accuracy: 'Přesnost',
  'Dice, points': 'Kostky, p. b.',
  'Dice, armies': 'Kostky, armády',
  'Accuracy: the win probability that turns kept of what the best known ones would have, on the average. Each turn was played {rolls, plural, one {once} other {# times}} with other dice, each end of it played out {playouts, plural, one {once} other {# times}}.':
    'Přesnost: jakou část šance na výhru, kterou by daly nejlepší známé tahy, hráčovy tahy v průměru zachovaly. Každý tah se zahrál {rolls, plural, one {jednou} few {#krát} many {#krát} other {#krát}} s jinými kostkami, každý jeho konec se dohrál {playouts, plural, one {jednou} few {#krát} many {#krát} other {#krát}}.',
};
