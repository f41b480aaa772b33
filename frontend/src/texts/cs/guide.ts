// Czech of the guide of a first game.
export const guide = {
  Guide: 'Průvodce',
  'Go on with the guide': 'Pokračovat s průvodcem',
  'Leave the guide': 'Opustit průvodce',
  'Part {n} of {all}': 'Část {n} z {all}',
  'Got it': 'Rozumím',
  'What now?': 'Co teď?',
  'To the start page': 'Na úvodní obrazovku',
  'It is among the cards: open them.': 'Je mezi kartami: otevři je.',
  'The cards lie over it: fold them.': 'Leží přes to karty: sbal je.',
  'Armies that are not deployed are lost. Go back and deploy them.': 'Nenasazené armády propadnou. Vrať se a nasaď je.',
  'First deploy: press {button}.': 'Nejdřív nasaď armády: stiskni {button}.',
  'Regions with a blue circle are yours, and the figure is how many armies stand there. You have {n} new ones to deploy: press {from}.':
    'Území s modrým kruhem jsou tvoje a číslo říká, kolik armád na nich stojí. Máš {n, plural, one {# novou armádu} few {# nové armády} many {# nové armády} other {# nových armád}} k nasazení: stiskni {from}.',
  '{n, plural, one {One is} other {# are}} deployed. Deploy the other {left} there, too: press {from} again.':
    '{n, plural, one {Jedna už je nasazená} few {# už jsou nasazené} many {# už je nasazeno} other {# už je nasazeno}}. Zbývá {left}: nasaď je tam také, stiskni znovu {from}.',
  'Shift and a click deploy all at once.': 'Shift a klik nasadí všechny najednou.',
  'Who holds a whole super region, all regions within a coloured outline, gets its bonus in every round. {to} is all that you lack of {name}: {bonus} armies more. Deploy beside it: press {from} until all are there.':
    'Kdo drží celý kontinent, tedy všechna území uvnitř barevného obrysu, dostává každé kolo jeho bonus. Z kontinentu {name} ti chybí už jen {to}: to je o {bonus, plural, one {# armádu} few {# armády} many {# armády} other {# armád}} víc. Nasaď armády vedle: tiskni {from}, dokud tam nebudou všechny.',
  'Who holds a whole super region, all regions within a coloured outline, gets its bonus in every round. Of {name}, which brings {bonus} armies, you hold {held} of {all}; go for {to}. Deploy beside it: press {from} until all are there.':
    'Kdo drží celý kontinent, tedy všechna území uvnitř barevného obrysu, dostává každé kolo jeho bonus. Z kontinentu {name}, který přináší {bonus, plural, one {# armádu} few {# armády} many {# armády} other {# armád}}, držíš {held} z {all}; na řadě je {to}. Nasaď armády vedle: tiskni {from}, dokud tam nebudou všechny.',
  'Deploy where you want to attack, here on {to}: press {from} until all are there.':
    'Nasaď armády tam, odkud chceš útočit. Cílem je {to}: tiskni {from}, dokud tam nebudou všechny.',
  'Or drag from {from} to {to}.': 'Nebo táhni: {from} → {to}.',
  'All are deployed. Now to the attacks: press {button}.': 'Vše je nasazeno. Teď k útokům: stiskni {button}.',
  'You may attack as often as you like. {to} could fall, too: press {from}.': 'Útočit smíš, kolikrát chceš. Padnout může i {to}: stiskni {from}.',
  'From where? Press {from}: all armies but one can leave it.': 'Odkud? Stiskni {from}: odejít mohou všechny armády kromě jedné.',
  'Nothing can be attacked from {source}: press it again, and choose another.': 'Z území {source} nelze na nic útočit: stiskni ho znovu a vyber jiné.',
  'The neighbours have rings. Press {to}: {n, plural, one {one army stands} other {# armies stand}} there, and {n, plural, one {is} other {are}} nobody’s.':
    'Sousedé jsou zakroužkovaní. Stiskni {to}: {n, plural, one {stojí tam jedna armáda a nepatří nikomu} few {stojí tam # armády a nepatří nikomu} many {stojí tam # armády a nepatří nikomu} other {stojí tam # armád a nepatří nikomu}}.',
  'The neighbours have rings. Press {to}: {n, plural, one {one army} other {# armies}} of {who} {n, plural, one {stands} other {stand}} there.':
    'Sousedé jsou zakroužkovaní. Stiskni {to}: {n, plural, one {stojí tam jedna armáda} few {stojí tam # armády} many {stojí tam # armády} other {stojí tam # armád}} hráče {who}.',
  'Choose your attack on {to}: press it in the list of orders.': 'Vyber svůj útok na {to}: stiskni ho v seznamu rozkazů.',
  'That is a chance of {chance} %. Send more: draw the slider to the right.': 'To je šance {chance} %. Pošli víc: posuň jezdec doprava.',
  '{n, plural, one {One army goes} other {# armies go}} to {to}, and take it with a chance of {chance} %. Draw the slider to send fewer, and see what becomes of the chance.':
    'Na {to} {n, plural, one {jde jedna armáda} few {jdou # armády} many {jde # armády} other {jde # armád}}, šance na dobytí je {chance} %. Posuň jezdec, pošli jich méně a podívej se, co to se šancí udělá.',
  'Or type how many.': 'Nebo napiš, kolik.',
  'Now move armies: press {button}.': 'Teď přesuň armády: stiskni {button}.',
  'Nothing foreign borders on {from}: {n, plural, one {an army there does} other {# armies there do}} nothing. Move them to the front: press {from}.':
    'S územím {from} nesousedí nic cizího: {n, plural, one {jedna armáda tam jen stojí} few {# armády tam jen stojí} many {# armády tam jen stojí} other {# armád tam jen stojí}}. Přesuň je k frontě: stiskni {from}.',
  'Then press {to}. Armies that go to a region of yours are moved, and need no luck.': 'Pak stiskni {to}. Armády, které jdou na tvoje vlastní území, se jen přesunou a štěstí nepotřebují.',
  'Press {button}. What everybody ordered is then carried out: deploys first, then attack by attack, in an order that is drawn.':
    'Stiskni {button}. Pak se rozkazy všech provedou: nejdřív nasazení, potom útok za útokem v pořadí, které se vylosuje.',
  'More attacks can be added. When you are ready, press {button}.': 'Útoků můžeš přidat víc. Až budeš chtít, stiskni {button}.',
  'Ctrl and Enter commit.': 'Tah odevzdá i Ctrl a Enter.',
  'Orders are carried out one after the other. At the arrow stand the armies that fell, and those that they killed.':
    'Rozkazy se provádějí jeden po druhém. U šipky stojí, kolik armád padlo a kolik jich zničily.',
  'That was the round. Look at your attack again: press it among the moves. {result} there means: so many went, so many fell, so many were killed, ✓ taken. Each attacker kills with {attack} %, each defender with {defense} %.':
    'To bylo celé kolo. Podívej se na svůj útok znovu: stiskni ho mezi tahy. {result} tam znamená: tolik jich šlo, tolik padlo, tolik zničily, ✓ dobyto. Každý útočník ničí s {attack} %, každý obránce s {defense} %.',
  'That was the round. Look at it again: press your order among the moves.': 'To bylo celé kolo. Podívej se na ně znovu: stiskni svůj rozkaz mezi tahy.',
  'You look at the past. Back to the present: press {button}.': 'Díváš se do minulosti. Zpátky do přítomnosti: stiskni {button}.',
  'Or L.': 'Nebo L.',
  '{n, plural, one {One army is} other {# armies are}} not deployed. What is left when you commit is lost: nothing is saved for later.':
    '{n, plural, one {Jedna armáda není nasazená} few {# armády nejsou nasazené} many {# armády není nasazeno} other {# armád není nasazeno}}. Co při odevzdání zbude, propadne: na později se nic nešetří.',
  '{of} is yours, and brings {bonus} armies more in every round as long as you hold all of it: {all} now.':
    '{of} je teď celý kontinent tvůj a přináší každé kolo o {bonus, plural, one {# armádu} few {# armády} many {# armády} other {# armád}} víc, dokud ho celý držíš: dohromady {all}.',
  '{who} stands beside you, in {from}. It deploys {n} armies a round where you do not see it beforehand: send more than what stands there now, or deploy on {r} to hold it.':
    '{who} stojí hned vedle, na území {from}. Každé kolo nasadí {n, plural, one {# armádu} few {# armády} many {# armády} other {# armád}} a předem neuvidíš kam: pošli víc, než kolik tam stojí teď, nebo nasaď armády na {r}, ať ho udržíš.',
  '{n, plural, one {An army stands} other {# armies stand}} idle in {from}: nothing foreign is beside it. Send them up, by way of {to}, as you would attack.':
    'Na území {from} {n, plural, one {stojí jedna armáda} few {stojí # armády} many {stojí # armády} other {stojí # armád}} zbytečně: nic cizího s ním nesousedí. Pošli je dopředu přes {to}, stejně jako bys útočil.',
  'That is all you need: take every region of the other player. In games with fog you see only your regions and their neighbours; here you see all.':
    'Víc vědět nemusíš: dobyj všechna území soupeře. Ve hrách s mlhou vidíš jen svoje území a jejich sousedy; tady vidíš všechno.',
  'You have won your first game. Now try a stronger bot.': 'Tvoje první hra je vyhraná. Teď zkus silnějšího bota.',
  'This game is over, and not yours. Begin the guide once more, or another game.': 'Tahle hra skončila a vyhrál ji někdo jiný. Začni průvodce znovu, nebo jinou hru.',
};
