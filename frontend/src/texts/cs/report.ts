// Czech of what bots and reports say: candidates, win probability, where a game turned, skill and luck.
export const report = {
  hold: 'vyčkat',
  '{sims, plural, one {# try} other {# tries}}, {trials, plural, one {# small change} other {# small changes}}':
    '{sims, plural, one {# pokus} few {# pokusy} many {# pokusu} other {# pokusů}}, {trials, plural, one {# malá změna} few {# malé změny} many {# malé změny} other {# malých změn}}',
  '{sims, plural, one {# try} other {# tries}}': '{sims, plural, one {# pokus} few {# pokusy} many {# pokusu} other {# pokusů}}',
  '{n} s': '{n} s',
  'Candidates of {who}': 'Kandidáti: {who}',
  '{error}: no orders in this round': '{error}: v tomto kole žádné rozkazy',
  'Candidate turns': 'Možné tahy',
  candidate: 'kandidát',
  tries: 'pokusy',
  value: 'hodnota',
  improved: 'vylepšeno',
  'Press a turn to copy it to your orders.': 'Stisknutím se tah zkopíruje do tvých rozkazů.',

  'Win probability': 'Šance na výhru',
  'unavailable for this position': 'pro tuto pozici není k dispozici',
  'Win probability of {who} over {rounds, plural, one {# round} other {# rounds}}':
    'Šance na výhru během {rounds, plural, one {# kola} few {# kol} many {# kola} other {# kol}}: {who}',
  'round {round}: falls by more than 15 points': 'kolo {round}: pokles o víc než 15 p. b.',
  '{who}, after round {round}: share of simulated games won; in them, all players attack every weaker neighbour. Band: 95 % interval.':
    '{who}, po kole {round}: podíl vyhraných simulovaných her; všichni v nich útočí na každého slabšího souseda. Pás: 95% interval.',
  '{who}, at the start: share of simulated games won; in them, all players attack every weaker neighbour. Band: 95 % interval.':
    '{who}, na začátku: podíl vyhraných simulovaných her; všichni v nich útočí na každého slabšího souseda. Pás: 95% interval.',
  '{who}: not yet available for this game.': '{who}: pro tuto hru zatím není k dispozici.',
  '{title} by round': '{title} podle kol',

  Report: 'Rozbor',
  'Win probability, %': 'Šance na výhru, %',
  'Turning points': 'Zlomové okamžiky',
  '<b>{name}</b>: {all} points: {own} by {side, select, yes {your} other {the player’s}} own turn, {others} by {rivals, select, yes {your} others {the others’} other {{rival}’s}} orders, {dice} by the dice.':
    '<b>{name}</b>: {all} p. b.: {own} {side, select, yes {tvým} other {vlastním}} tahem, {others} {rivals, select, yes {tvými rozkazy} others {rozkazy ostatních} other {rozkazy hráče {rival}}}, {dice} kostkami.',
  'Dice: the points of win probability and the armies that the dice gave a player in all rounds together.': 'Kostky: body šance na výhru a armády, které hráči přinesly kostky ve všech kolech dohromady.',
  'Played: {orders}.': 'Zahráno: {orders}.',
  '{armies} on {region}': '{armies} na {region}',
  '{from} → {to} with {armies}': '{from} → {to} ({armies})',
  'if armies are left: {from} → {to}': 'zbudou-li armády: {from} → {to}',
  'Show it': 'Ukázat',
  'No player lost 8 points or more in one round.': 'Žádný hráč neztratil v jednom kole 8 p. b. ani víc.',
  Accuracy: 'Přesnost',
  'Lost by own turns, points': 'Ztraceno vlastními tahy, p. b.',
  'Dice, points': 'Kostky, p. b.',
  'Dice, armies': 'Kostky, armády',
};
