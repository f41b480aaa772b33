// Czech of the first steps.
export const lesson = {
  'First steps': 'První kroky',
  'done:': 'hotovo:',
  'Blue circles are yours. Click a blue region beside a white one to deploy armies there; Shift deploys all.':
    'Modré kruhy jsou tvoje. Klikni na modré území vedle bílého a nasadíš tam armády; se Shiftem všechny.',
  'Press 2 Attack, or just drag from your region to a white neighbour. The card below tells the chance of capture.':
    'Stiskni 2 Útok, nebo prostě táhni ze svého území na bílé sousední. Karta dole říká, jaká je šance na dobytí.',
  'Press Commit. Everybody’s orders happen at once, attack by attack, in random order.':
    'Stiskni Odevzdat. Rozkazy všech se provedou najednou, útok za útokem, v náhodném pořadí.',
  'Who holds a whole super region gets its bonus every round: the list below says how much is missing.':
    'Kdo drží celý kontinent, dostává každé kolo jeho bonus: seznam dole říká, kolik chybí.',
  'One army always stays behind. Attackers kill with 60 %, defenders with 70 %: send about twice as many.':
    'Jedna armáda vždy zůstává. Útočníci ničí s 60 %, obránci se 70 %: pošli asi dvakrát tolik.',
  'Take every region of the other player. Press ? for the keys, H for a hint.':
    'Dobyj všechna území soupeře. Klávesa ? ukáže klávesy, H nápovědu.',
};
