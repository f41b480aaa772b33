// Czech of what searches and reports say: candidates, win probability, where a game turned, skill and luck.
export const report = {
  hold: 'vyčkat',
  '{sims, number} simulations, {trials, plural, one {# trial} other {# trials}}':
    '{sims, number} simulací, {trials, plural, one {# pokus} few {# pokusy} many {# pokusu} other {# pokusů}}',
  '{sims, number} simulations': '{sims, number} simulací',
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
  'unavailable for this position': 'pro tuto pozici není k dispozici',
  'Win probability of {who} over {rounds, plural, one {# round} other {# rounds}}':
    'Šance na výhru během {rounds, plural, one {# kola} few {# kol} many {# kola} other {# kol}}: {who}',
  'round {round}: falls by more than 15 points': 'kolo {round}: pokles o víc než 15 p. b.',
  '{who}, after round {round}: share of playouts won; all players play like <i>aggressive</i>. Band: 95 % interval.':
    '{who}, po kole {round}: podíl vyhraných dohrávek; všichni hrají jako <i>aggressive</i>. Pás: 95% interval.',
  '{who}, at the start: share of playouts won; all players play like <i>aggressive</i>. Band: 95 % interval.':
    '{who}, na začátku: podíl vyhraných dohrávek; všichni hrají jako <i>aggressive</i>. Pás: 95% interval.',
  '{who}: not yet available for this game.': '{who}: pro tuto hru zatím není k dispozici.',
  '{title} by round': '{title} podle kol',

  'The report is being made: {done} of {rounds, plural, one {# round} other {# rounds}} …':
    'Připravuje se rozbor: {done} z {rounds, plural, one {# kola} few {# kol} many {# kola} other {# kol}} …',
  'The report is being made …': 'Připravuje se rozbor …',
  'No report: {reason}': 'Rozbor není: {reason}',
  Report: 'Rozbor',
  'turns compared with {judge}; ± 95 %': 'tahy porovnané s botem {judge}; ± 95 %',
  'Win probability, %': 'Šance na výhru, %',
  'Turning points': 'Zlomové okamžiky',
  '<b>{who}</b>: {points} points, {luck} of them by the dice.': '<b>{who}</b>: {points} p. b., z toho kostky {luck}.',
  'Played: {orders}.': 'Zahráno: {orders}.',
  'Better by {gain} ± {error}: {orders}.': 'Lepší o {gain} ± {error}: {orders}.',
  '{armies} on {region}': '{armies} na {region}',
  '{from} → {to} with {armies}': '{from} → {to} ({armies})',
  'Show the better turn of round {round}': 'Ukázat lepší tah kola {round}',
  'Show it': 'Ukázat',
  'No known turn was certainly better.': 'Žádný známý tah nebyl jistě lepší.',
  'No player lost 8 points or more in one round.': 'Žádný hráč neztratil v jednom kole 8 p. b. ani víc.',
  'Skill and luck': 'Umění a štěstí',
  Accuracy: 'Přesnost',
  'Lost by own turns, points': 'Ztraceno vlastními tahy, p. b.',
  'Dice, points': 'Kostky, p. b.',
  'Dice, armies': 'Kostky, armády',
  'Accuracy: the part of the win probability at stake that the turns of a player kept. At stake is the difference between the best known turn and a turn without orders. Each turn was played {rolls, plural, one {once} other {# times}} with different dice, and each result was played out {playouts, plural, one {once} other {# times}}.':
    'Přesnost: část šance na výhru v sázce, kterou si hráč svými tahy udržel. V sázce je rozdíl mezi nejlepším známým tahem a tahem bez rozkazů. Každý tah se zahrál {rolls, plural, one {jednou} few {#krát} many {#krát} other {#krát}} s jinými kostkami a každý výsledek se dohrál {playouts, plural, one {jednou} few {#krát} many {#krát} other {#krát}}.',
};
